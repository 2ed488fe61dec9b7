//! Matches from their beginning to their end, stored ones too.

use std::time::Instant;

use kitai::othello::Color;
use kitai::othello::random::random_move;
use kitai::protocol::ggs::words::GameType;
use kitai::record::{Board, ClockSettings, History, ggf};
use rand::Rng;

use super::play::{Match, Told, new_game};
use super::service::{Ended, State};

impl State {
    /// Starts a match; tournament matches (`T`) need no request.
    pub(crate) fn begin(
        &mut self,
        players: [String; 2],
        game_type: GameType,
        clocks: [ClockSettings; 2],
        flag: char,
    ) -> u32 {
        let number = self.free_id(1);
        self.begun += 1;
        let start = match game_type.random {
            Some(discs) => self.random_board(discs),
            None => Board::START,
        };
        let black = match game_type.text.chars().find(|letter| "bw".contains(*letter)) {
            Some(wanted) => usize::from(wanted == 'w'),
            None => usize::from(self.random.random_bool(0.5)),
        };
        let games = if game_type.synchro {
            (0..2)
                .map(|half| {
                    let black = Some(if half == 0 { black } else { 1 - black });
                    new_game(format!(".{number}.{half}"), black, start, &clocks)
                })
                .collect()
        } else {
            let black = (!game_type.komi).then_some(black);
            vec![new_game(format!(".{number}"), black, start, &clocks)]
        };
        let found = Match {
            number,
            players,
            game_type,
            flag,
            clocks,
            games,
            archive: None,
            moved: [None, None],
            aborting: [false, false],
            undoing: [false, false],
            offers: [None, None],
        };
        self.announce(found);
        number
    }

    pub(super) fn announce(&mut self, mut found: Match) {
        found.start_clocks(Instant::now());
        let (number, [one, other]) = (found.number, found.players.clone());
        let line = format!(
            "+ match .{number} 1720 {one} 985 {other} {} {}",
            found.game_type.text, found.flag
        );
        self.matches.insert(number, found);
        for (player, login) in [one, other].into_iter().enumerate() {
            self.os(&login, line.clone());
            self.show_all(number, player);
        }
    }

    pub(super) fn resume(&mut self, archive: u32) {
        let Some(mut found) = self.stored.remove(&archive) else { return };
        found.number = self.free_id(1);
        found.archive = Some(archive);
        for (half, game) in found.games.iter_mut().enumerate() {
            game.id = if found.game_type.synchro {
                format!(".{}.{half}", found.number)
            } else {
                format!(".{}", found.number)
            };
        }
        self.announce(found);
    }

    /// Even numbers of discs give Black the move, odd ones White; it may have to pass.
    pub(super) fn random_board(&mut self, discs: u32) -> Board {
        loop {
            let mut history = History::default();
            while 64 - history.board().position.empty_count() < discs {
                match random_move(history.board().position, &mut self.random) {
                    Some(chosen) => history.play(chosen).unwrap(),
                    None => break,
                }
            }
            let board = history.board();
            let turn = if discs.is_multiple_of(2) { Color::Black } else { Color::White };
            let [black, white] = [Color::Black, Color::White].map(|color| board.discs(color));
            let board = Board::from_colors(black, white, turn);
            if !board.position.is_over() {
                return board;
            }
        }
    }

    /// Sends a player the games of a match.
    pub(super) fn show_all(&mut self, number: u32, player: usize) {
        let login = &self.matches[&number].players[player];
        let compact = self.users.get(login).is_some_and(|user| user.client);
        self.show_as(number, player, compact);
    }

    /// The same in a form of our choice.
    pub(super) fn show_as(&mut self, number: u32, player: usize, compact: bool) {
        let found = &self.matches[&number];
        let login = found.players[player].clone();
        // What the other has done in this round is not shown.
        let mut seen = found.clone();
        let hidden = found.moved[1 - player].filter(|_| found.moved[player].is_none());
        if let Some(index) = hidden {
            let game = &mut seen.games[index];
            game.history.undo();
            game.typed.pop();
            game.notes.pop();
        }
        for index in 0..seen.games.len() {
            if seen.games[index].is_over() && hidden != Some(index) {
                continue;
            }
            let bidding = seen.games[index].black.is_none();
            let lines = if compact && !bidding {
                seen.compact_join(index)
            } else {
                seen.join(index, Instant::now())
            };
            self.message(&login, "/os", &lines);
        }
    }

    pub(super) fn play(&mut self, login: &str, id: &str, typed: &str) {
        let Some((number, player, half)) = self.find(login, id) else {
            return self.os(login, format!("ERR match '{id}' not found."));
        };
        let user = self.users.get_mut(login).unwrap();
        let trust = user.trust;
        if std::mem::replace(&mut user.refuse, false) {
            return self.os(login, format!("error {id} illegal move"));
        }
        let found = self.matches.get_mut(&number).unwrap();
        let Some(index) = found.game_index(half) else {
            self.wrong_moves.push(format!("{login}: {id} {typed}: game id"));
            return self.os(login, format!("error {id} game id needed (only) in synchro games"));
        };
        match found.play(player, index, typed, trust, Instant::now()) {
            Ok(told) => self.tell(number, told),
            Err(reason) => {
                self.wrong_moves.push(format!("{login}: {id} {typed}: {reason}"));
                self.os(login, format!("error {id} {reason}"));
            }
        }
    }

    pub(super) fn tell(&mut self, number: u32, told: Told) {
        let Some(found) = self.matches.get(&number) else { return };
        let players = found.players.clone();
        for (player, lines) in told.0 {
            if lines[0].contains("timeout") {
                self.timeouts.push(lines[0].clone());
            }
            self.message(&players[player].clone(), "/os", &lines);
        }
        if self.matches[&number].is_over() {
            self.end(number);
        }
    }

    pub(super) fn end(&mut self, number: u32) {
        let found = self.matches.remove(&number).unwrap();
        let results: Vec<f64> = found.games.iter().map(super::play::Game::result).collect();
        let result = results.iter().sum::<f64>() / results.len() as f64;
        let records: Vec<_> = found.games.iter().map(|game| found.record(game)).collect();
        let archive = found.archive.unwrap_or_else(|| self.new_archive());
        let line = ggf::write_line(&records.iter().collect::<Vec<_>>());
        let counts = found.flag != 'U';
        if counts {
            self.archive.insert(archive, line);
        }
        let [one, other] = found.players.clone();
        let (kind, flag) = (&found.game_type.text, found.flag);
        let ratings = [
            format!("rating_update .{number}"),
            format!("{one:<8} 1720.00 @ 257.02   +0.00 -> 1720.00 @ 246.35"),
            format!("{other:<8}  985.00 @ 257.02   +0.00 ->  985.00 @ 246.35"),
        ];
        let number_text = if counts { format!("  .{archive}") } else { String::new() };
        let end = format!(
            "- match .{number} 1720 {one} 985 {other} {kind} {flag} {result:+.2}{number_text}"
        );
        for login in [&one, &other] {
            let user = self.users.get_mut(login);
            if user.is_some_and(|user| std::mem::replace(&mut user.cut_at_end, false)) {
                self.cut(login);
            }
        }
        for login in [one, other] {
            if counts {
                self.message(&login, "/os", &ratings);
            }
            self.os(&login, end.clone());
        }
        let Match { players, game_type, .. } = found;
        let game_type = game_type.text;
        self.ended.push(Ended { players, game_type, result, archive, rated: counts });
    }

    pub(super) fn new_archive(&mut self) -> u32 {
        self.next_archive += 1;
        self.next_archive
    }

    pub(super) fn abort(&mut self, number: u32, player: usize) {
        let found = self.matches.get_mut(&number).unwrap();
        let players = found.players.clone();
        if found.flag == 'T' {
            return self.os(&players[player].clone(), "ERR you can not abort tournament game.");
        }
        found.aborting[player] = true;
        if found.aborting != [true, true] {
            let ids: Vec<String> = found.games.iter().map(|game| game.id.clone()).collect();
            for id in ids {
                self.os_both(number, &format!("abort {id} {} is asking", players[player]));
            }
            return;
        }
        let found = self.matches.remove(&number).unwrap();
        let [one, other] = &players;
        let (kind, flag) = (&found.game_type.text, found.flag);
        let text = format!("- match .{number} 1720 {one} 985 {other} {kind} {flag} aborted");
        players.iter().for_each(|login| self.os(login, text.clone()));
        self.aborted += 1;
    }

    pub(super) fn os_both(&mut self, number: u32, text: &str) {
        for login in self.matches[&number].players.clone() {
            self.os(&login, text);
        }
    }

    pub(super) fn undo(&mut self, number: u32, player: usize, half: Option<u8>) {
        let found = self.matches.get_mut(&number).unwrap();
        let login = found.players[player].clone();
        let Some(index) = found.game_index(half) else {
            return self.os(&login, "ERR undo <match>.");
        };
        let game = &found.games[index];
        let (id, made) = (game.id.clone(), game.history.moves().len());
        let wrong = if found.games.len() == 2 {
            Some("no undo in synchro games")
        } else if made == 0 {
            Some("nothing to undo")
        } else if found.game_type.komi && made == 1 {
            Some("no undo of komi moves")
        } else {
            None
        };
        if let Some(wrong) = wrong {
            return self.os(&login, format!("error {id} {wrong}"));
        }
        found.undoing[player] = true;
        if found.undoing != [true, true] {
            return self.os_both(number, &format!("undo {id} {login} is asking"));
        }
        found.cancel_questions();
        let game = &mut found.games[index];
        game.history.undo();
        game.typed.pop();
        game.notes.pop();
        game.running = [None, None];
        found.start_clocks(Instant::now());
        self.show_all(number, 0);
        self.show_all(number, 1);
    }

    /// Both offer a result from their own view; what they agree on, or both would be content with,
    /// is the result.
    pub(super) fn score(&mut self, number: u32, player: usize, half: Option<u8>, value: f64) {
        let found = self.matches.get_mut(&number).unwrap();
        let login = found.players[player].clone();
        let id = found.games[0].id.clone();
        let (None, [_]) = (half, found.games.as_slice()) else {
            return self.os(&login, format!("error {id} no score in synchro games"));
        };
        found.offers[player] = Some(value);
        let [Some(one), Some(other)] = found.offers else {
            return self.os_both(number, &format!("score {id} {login} is offering"));
        };
        if one + other > 0.0 {
            return self.os_both(number, &format!("score {id} {login} is offering"));
        }
        let result = f64::midpoint(one, -other);
        let game = &mut found.games[0];
        game.over = Some(if game.black == Some(0) { result } else { -result });
        self.end(number);
    }

    pub(crate) fn resign(&mut self, number: u32, player: usize) {
        let found = self.matches.get_mut(&number).unwrap();
        for game in found.games.iter_mut().filter(|game| !game.is_over()) {
            let lost = if game.black == Some(player) { -64.0 } else { 64.0 };
            game.over = Some(lost - game.komi.unwrap_or(0.0));
        }
        let told = found.ends();
        self.tell(number, told);
    }

    /// A player adjourns a match.
    pub(super) fn leave_match(&mut self, number: u32, player: usize) {
        let login = self.matches[&number].players[player].clone();
        if self.matches[&number].flag == 'T' {
            return self.os(&login, "ERR you can not adjourn tournament game.");
        }
        self.adjourn(number, &login);
    }

    pub(super) fn adjourn_matches_of(&mut self, login: &str) {
        let own: Vec<u32> = self
            .matches
            .iter()
            .filter(|(_, found)| found.flag != 'T' && found.players.iter().any(|p| p == login))
            .map(|(number, _)| *number)
            .collect();
        own.into_iter().for_each(|number| self.adjourn(number, login));
    }

    fn adjourn(&mut self, number: u32, login: &str) {
        let (found, archive) = self.put_away(number);
        let [one, other] = &found.players;
        let (kind, flag) = (&found.game_type.text, found.flag);
        let stored = if flag == 'U' { String::new() } else { format!(" .{archive}") };
        let text =
            format!("- match .{number} 1720 {one} 985 {other} {kind} {flag} {login} left{stored}");
        for player in found.players.clone() {
            self.os(&player, text.clone());
        }
    }

    /// Stores a match, if it can be.
    pub(super) fn put_away(&mut self, number: u32) -> (Match, u32) {
        let mut found = self.matches.remove(&number).unwrap();
        found.take_back();
        let archive = found.archive.unwrap_or_else(|| self.new_archive());
        let bidding = found.games.iter().any(|game| game.black.is_none());
        self.unbid += u32::from(bidding);
        if found.flag != 'U' && !bidding {
            self.stored.insert(archive, found.clone());
            self.adjourned += 1;
        }
        (found, archive)
    }

    pub(crate) fn flags(&mut self, now: Instant) {
        let numbers: Vec<u32> = self.matches.keys().copied().collect();
        for number in numbers {
            let told = self.matches.get_mut(&number).unwrap().flags(now);
            if !told.0.is_empty() {
                self.tell(number, told);
            }
        }
        if self.back_at.is_some_and(|at| now >= at) {
            self.back_at = None;
            self.up = true;
            let everybody: Vec<String> = self.users.keys().cloned().collect();
            everybody.iter().for_each(|login| self.raw(login, ": + /os 1\r\n"));
        }
    }

    /// The service stops in order: it stores its matches and says nothing of them.
    pub(crate) fn restart(&mut self, back_at: Instant) {
        let numbers: Vec<u32> =
            self.matches.iter().filter(|(_, found)| found.flag != 'T').map(|(n, _)| *n).collect();
        for number in numbers {
            self.put_away(number);
        }
        self.requests.clear();
        (self.up, self.back_at) = (false, Some(back_at));
        let everybody: Vec<String> = self.users.keys().cloned().collect();
        everybody.iter().for_each(|login| self.raw(login, ": - /os 1\r\n"));
    }
}
