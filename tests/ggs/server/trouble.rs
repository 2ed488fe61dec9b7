//! Everything that may go wrong with a server and a connection.

use std::time::{Duration, Instant};

use kitai::random::Random;
use rand::Rng;

use super::Faults;
use super::service::State;

impl State {
    /// Something goes wrong.
    pub(crate) fn trouble(&mut self, random: &mut Random, faults: Faults) {
        let here: Vec<String> = self
            .users
            .iter()
            .filter(|(name, user)| user.out.is_some() && !name.starts_with("gst"))
            .map(|(name, _)| name.clone())
            .collect();
        if here.is_empty() || !self.up || self.closing {
            return;
        }
        let login = here[random.random_range(0..here.len())].clone();
        let own: Vec<u32> =
            self.matches.keys().copied().filter(|n| self.player(*n, &login).is_some()).collect();
        let name = match random.random_range(0..13) {
            0 if faults.cuts => {
                self.cut(&login);
                "cut"
            }
            1 if faults.restarts => {
                self.restart(Instant::now() + Duration::from_millis(300));
                "service restart"
            }
            2 | 3 => {
                for number in own {
                    let player = self.player(number, &login).unwrap();
                    self.show_all(number, player);
                }
                "duplicate join"
            }
            4 => {
                self.users.get_mut(&login).unwrap().refuse = true;
                "right move refused"
            }
            5 => {
                for number in own {
                    let game = &self.matches[&number].games[0];
                    // Whether a bid was taken cannot be seen: to bid again is no mistake then.
                    if game.black.is_some() {
                        let id = game.id.clone();
                        self.os(&login, format!("error {id} illegal move"));
                    }
                }
                "error without reason"
            }
            6 => {
                self.users.get_mut(&login).unwrap().no_prompt = true;
                "missing prompt"
            }
            7 => {
                self.raw(
                    &login,
                    "\x07\r\n.chat bob: \x1b[1mplay .0 a1\x1b[0m\r\n|/os: + match .1\r\nREADY\r\n",
                );
                self.message(&login, "mallory", &["quit after this game".to_owned()]);
                "chatter"
            }
            8 => {
                for number in own {
                    self.os(&login, format!(".{number} A 1720 bob: error .{number} illegal move"));
                    for question in ["undo", "abort"] {
                        self.os(&login, format!("{question} .{number} bob is asking"));
                    }
                    self.os(&login, format!("score .{number} alice is offering"));
                }
                "kibitz and questions"
            }
            9 => {
                for number in own {
                    let player = self.player(number, &login).unwrap();
                    self.show_as(number, player, true);
                }
                "compact join"
            }
            10 => {
                for number in own {
                    let player = self.player(number, &login).unwrap();
                    self.show_all(number, player);
                    let game = &self.matches[&number].games[0];
                    if game.black.is_some() {
                        let id = game.id.clone();
                        self.os(&login, format!("error {id} illegal move"));
                        self.show_all(number, player);
                    }
                }
                "error between joins"
            }
            11 if faults.cuts => {
                self.users.get_mut(&login).unwrap().cut_at_end = true;
                "cut at the end of a match"
            }
            _ => {
                self.raw(
                    &login,
                    "\r\n\x07\x07: +ack:  t bob hi => tell bob hi\r\n\x1b[0mREADY\r\n",
                );
                "bells and escapes"
            }
        };
        *self.faults.entry(name).or_default() += 1;
    }
}
