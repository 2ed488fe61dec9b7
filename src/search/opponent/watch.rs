//! Watching the opponent during a game: its moves are found between two searches and go into an
//! estimate, quick models at once, deeper ones on a thread of their own while the game goes on.

use std::sync::mpsc::{Receiver, Sender, channel};

use tracing::info;

use super::estimate::{Correction, Estimate, Hypothesis};
use crate::eval::Evaluation;
use crate::othello::{Move, Position};

/// Models of up to so many plies are asked at once; `kitai bench opponent` says what that costs.
pub const QUICK_DEPTH: u32 = 2;

/// What was seen of the opponent.
pub(super) struct Watch {
    /// Before any move of this game: nothing, or what earlier games said.
    unknown: Estimate,
    estimate: Estimate,
    /// The position of the last search.
    last: Option<Position>,
    deeper: Option<Deeper>,
    /// Counts the games, so that what belongs to an earlier one is told apart.
    game: u64,
}

/// The thread that asks the deeper models; it ends when nobody waits for it any more.
struct Deeper {
    moves: Sender<(u64, Position, Move)>,
    corrections: Receiver<(u64, Correction)>,
    /// Moves sent and not yet answered.
    waiting: usize,
}

impl Deeper {
    /// `None` if there is nothing deeper to ask, or no thread to be had.
    fn start(family: &Estimate) -> Option<Deeper> {
        if family.most_depth() <= QUICK_DEPTH {
            return None;
        }
        let (moves, to_do) = channel::<(u64, Position, Move)>();
        let (done, corrections) = channel();
        let family = family.clone();
        let work = move || {
            for (game, position, played) in to_do {
                let correction = family.deeper(position, played, QUICK_DEPTH);
                if done.send((game, correction)).is_err() {
                    return;
                }
            }
        };
        let started = std::thread::Builder::new().name("opponent".to_owned()).spawn(work);
        started.ok().map(|_| Deeper { moves, corrections, waiting: 0 })
    }
}

impl Watch {
    /// An opponent of whom this is known so far.
    pub(super) fn new(unknown: Estimate) -> Watch {
        let deeper = Deeper::start(&unknown);
        Watch { estimate: unknown.clone(), unknown, last: None, deeper, game: 0 }
    }

    /// A new game.
    pub(super) fn forget(&mut self) {
        self.estimate = self.unknown.clone();
        self.last = None;
        self.game += 1;
    }

    /// Takes account of the opponent's move between the last search and this one, if there was one,
    /// and of what the deeper models have found out meanwhile.
    pub(super) fn look(&mut self, position: Position) {
        let last = self.last.replace(position);
        if let Some((before, reply)) = last.and_then(|last| reply_between(last, position)) {
            let says_something = self.estimate.observe_quickly(before, reply, QUICK_DEPTH);
            if says_something
                && let Some(deeper) = &mut self.deeper
                && deeper.moves.send((self.game, before, reply)).is_ok()
            {
                deeper.waiting += 1;
            }
            info!(opponent = self.estimate.summary(), "estimate");
        }
        self.collect(false);
    }

    /// What the deeper models have answered; all that was asked if `wait`.
    fn collect(&mut self, wait: bool) {
        let Some(deeper) = &mut self.deeper else { return };
        while deeper.waiting > 0 {
            let answer = if wait {
                deeper.corrections.recv().ok()
            } else {
                deeper.corrections.try_recv().ok()
            };
            let Some((game, correction)) = answer else { return };
            deeper.waiting -= 1;
            if game == self.game {
                self.estimate.correct(&correction);
            }
        }
    }

    /// The likeliest player in words.
    pub(super) fn summary(&self) -> String {
        self.estimate.summary()
    }

    /// The few likeliest players.
    pub(super) fn likeliest(&self) -> Vec<Likely> {
        let posterior = self.estimate.posterior();
        let likeliest = &posterior[..posterior.len().min(Likely::MOST)];
        let sum: f64 = likeliest.iter().map(|(_, share)| share).sum();
        let likely = |(hypothesis, share): &(&Hypothesis, f64)| {
            let player = match hypothesis {
                Hypothesis::Minimax { evaluation, depth, softness } => {
                    let suspect = self.estimate.suspect(*evaluation);
                    (Some(suspect.evaluation.clone()), *depth, *softness)
                }
                Hypothesis::SemiRandom { depth } => (None, *depth, 0.0),
            };
            Likely { probability: share / sum, player }
        };
        likeliest.iter().map(likely).collect()
    }
}

/// One of the likeliest players that the opponent may be.
pub(super) struct Likely {
    /// Among these.
    pub probability: f64,
    /// Evaluation, depth and softness; no evaluation for a semi-random player.
    pub player: (Option<Evaluation>, u32, f64),
}

impl Likely {
    /// So many at most.
    const MOST: usize = 3;
}

/// The opponent's move, and where it was made, if `now` came from `last` by a move of each side.
fn reply_between(last: Position, now: Position) -> Option<(Position, Move)> {
    let found = last.children().find_map(|(_, between)| {
        let reply = between.children().find(|(_, after)| *after == now);
        reply.map(|(reply, _)| (between, reply))
    });
    found.filter(|(_, reply)| *reply != Move::Pass)
}

#[cfg(test)]
mod tests {
    use super::super::estimate::Suspect;
    use super::*;
    use crate::eval;
    use crate::options::Options;
    use crate::othello::random::{random_move, random_position, seeded};

    #[test]
    fn the_opponents_move_is_found_between_two_searches() {
        let mut rng = seeded(61);
        for empties in 10..55 {
            let last = random_position(empties, &mut rng);
            let own = random_move(last, &mut rng).unwrap();
            let between = last.after(own).unwrap();
            let Some(reply) = random_move(between, &mut rng) else { continue };
            let now = between.after(reply).unwrap();
            let expected = (reply != Move::Pass).then_some((between, reply));
            assert_eq!(reply_between(last, now), expected);
            assert_eq!(reply_between(now, last), None);
        }
    }

    #[test]
    fn deeper_models_are_asked_on_a_thread_and_end_in_the_same_estimate() {
        let suspects = ["discs", "mobility"].map(|name| {
            let evaluation = eval::registry::by_name(name, &Options::new()).unwrap();
            Suspect { name, evaluation }
        });
        let family = Estimate::new(suspects.to_vec(), 3);
        let (mut watch, mut at_once) = (Watch::new(family.clone()), family);
        let mut rng = seeded(62);
        // A game that is forgotten leaves nothing behind, not even what was still being worked on.
        for round in 0..2 {
            watch.forget();
            let mut position = Position::START;
            watch.look(position);
            for _ in 0..10 {
                let own = random_move(position, &mut rng).unwrap();
                let between = position.after(own).unwrap();
                let reply = random_move(between, &mut rng).unwrap();
                position = between.after(reply).unwrap();
                watch.look(position);
                if round == 1 {
                    at_once.observe(between, reply);
                }
            }
        }
        watch.collect(true);
        assert_eq!(watch.deeper.as_ref().unwrap().waiting, 0);
        assert_eq!(watch.estimate.moves, at_once.moves);
        for (found, expected) in watch.estimate.posterior().iter().zip(at_once.posterior()) {
            assert_eq!(found.0, expected.0);
            assert!((found.1 - expected.1).abs() < 1e-9);
        }
    }
}
