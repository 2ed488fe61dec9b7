//! A schedule learnt for an opponent from earlier games against it.
//!
//! The opponent is estimated from its moves in those games. Every schedule then plays the mixed player
//! against the likeliest model, from the openings of the same games with both colours, and the one that
//! scores most is chosen; among equals the one that wins by more discs. What it learns from is a file
//! of games, so it can be repeated, and what it says is a set of option values, so it can be used
//! everywhere.

use rand::Rng;

use super::estimate::{Estimate, Hypothesis};
use super::forced::{GameEnds, LookAhead};
use super::method::SCHEDULES;
use super::om::{MinimaxModel, ModelDepth, Replies, ReplyModel, SemiRandomModel};
use crate::eval::with_evaluator;
use crate::game::Othello;
use crate::options::{OptionError, Options};
use crate::othello::{Move, Position};
use crate::random::{Random, seeded_part};
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::table::Table;
use crate::search::expectation::tree::OthelloTree;
use crate::search::{self, Limits, Method, Request, StopFlag};
use crate::statistics::Moments;

/// What to learn from.
pub struct Lessons {
    /// The opponent by its earlier games.
    pub opponent: Estimate,
    /// Positions that those games began from, each played with both colours.
    pub openings: Vec<Position>,
    /// The own player but for its schedule and its model of the opponent.
    pub options: Options,
    /// Plies of the own search.
    pub depth: u32,
    /// Seed of the opponent's choices.
    pub seed: u64,
}

/// How a schedule did.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its name.
    pub schedule: &'static str,
    /// Won, drawn, lost.
    pub games: [u32; 3],
    /// The final disc difference.
    pub discs: Moments,
}

impl Lesson {
    /// Share of points.
    pub fn score(&self) -> f64 {
        let [won, drawn, lost] = self.games.map(f64::from);
        (won + drawn / 2.0) / (won + drawn + lost).max(1.0)
    }
}

impl Lessons {
    /// The option values of the opponent's likeliest model.
    pub fn model_settings(&self) -> Vec<(&'static str, String)> {
        match self.opponent.posterior()[0].0 {
            Hypothesis::Minimax { evaluation, depth, softness } => vec![
                ("opponent-model", "minimax".to_owned()),
                ("opponent-eval", self.opponent.suspect(*evaluation).name.to_owned()),
                ("opponent-depth", depth.to_string()),
                ("opponent-softness", softness.to_string()),
            ],
            Hypothesis::SemiRandom { depth } => vec![
                ("opponent-model", "semi-random".to_owned()),
                ("opponent-depth", depth.to_string()),
                ("win-threshold", "0".to_owned()),
            ],
        }
    }

    /// Tries every schedule, the best first; `None` if stopped.
    ///
    /// # Errors
    /// If an option cannot be used.
    pub fn learn(
        &self,
        stop: &StopFlag,
        progress: &mut dyn FnMut(),
    ) -> Result<Option<Vec<Lesson>>, OptionError> {
        let mut lessons = Vec::new();
        for schedule in SCHEDULES {
            let mut options = self.options.clone();
            options.set("method", "mixed")?;
            options.set("schedule", schedule)?;
            for (name, value) in self.model_settings() {
                options.set(name, &value)?;
            }
            let mut player = search::build(&options)?;
            let mut lesson = Lesson { schedule, games: [0; 3], discs: Moments::default() };
            for (index, opening) in self.openings.iter().enumerate() {
                for begins in [true, false] {
                    if stop.is_stopped() {
                        return Ok(None);
                    }
                    // The same choices of the opponent for every schedule, as far as they go.
                    let mut rng = seeded_part(self.seed, 2 * index as u64 + u64::from(begins));
                    let discs = self.play(&mut *player, *opening, begins, &mut rng);
                    let place = if discs > 0 { 0 } else { 1 + usize::from(discs < 0) };
                    lesson.games[place] += 1;
                    lesson.discs.add(f64::from(discs));
                }
            }
            progress();
            lessons.push(lesson);
        }
        lessons.sort_by(|a, b| {
            let by_score = b.score().total_cmp(&a.score());
            by_score.then(b.discs.mean().total_cmp(&a.discs.mean()))
        });
        Ok(Some(lessons))
    }

    /// The final score of a game for the own player.
    fn play(
        &self,
        player: &mut dyn Method,
        mut position: Position,
        mut own_turn: bool,
        rng: &mut Random,
    ) -> i32 {
        let stop = StopFlag::new();
        player.clear();
        while !position.is_over() {
            let played = if own_turn {
                let request = Request::new(position, Limits::depth(self.depth));
                player.search(&request, &stop, &mut |_| ()).best_move().unwrap_or(Move::Pass)
            } else if position.has_move() {
                drawn(&self.replies(position), rng)
            } else {
                Move::Pass
            };
            position = position.after_unchecked(played);
            own_turn = !own_turn;
        }
        if own_turn { position.final_score() } else { -position.final_score() }
    }

    /// How likely the model plays each move.
    fn replies(&self, position: Position) -> Replies<Move> {
        let stop = StopFlag::new();
        let mut counter = NodeCounter::new(&Limits::default(), &stop);
        match self.opponent.posterior()[0].0 {
            Hypothesis::Minimax { evaluation, depth, softness } => {
                let evaluation = &self.opponent.suspect(*evaluation).evaluation;
                with_evaluator!(evaluation, |theirs| {
                    let tree = OthelloTree { evaluation: theirs };
                    let plies = ModelDepth::Plies(*depth);
                    let mut model = MinimaxModel::new(&tree, plies, *softness, Table::tiny());
                    model.replies(&tree, &tree.root(position), *depth, &mut counter)
                })
            }
            Hypothesis::SemiRandom { depth } => {
                let theirs: &dyn crate::eval::Evaluator = &crate::eval::discs::Discs;
                let tree = OthelloTree { evaluation: &theirs };
                let look = LookAhead::new(&Othello, GameEnds);
                let mut model = SemiRandomModel { look, depth: *depth };
                model.replies(&tree, &tree.root(position), *depth, &mut counter)
            }
        }
    }
}

/// One of the replies, as likely as it is.
fn drawn(replies: &Replies<Move>, rng: &mut Random) -> Move {
    let mut left: f64 = rng.random();
    for (action, weight) in replies {
        left -= weight;
        if left < 0.0 {
            return *action;
        }
    }
    replies.last().map_or(Move::Pass, |(action, _)| *action)
}

#[cfg(test)]
mod tests {
    use super::super::estimate::Suspect;
    use super::*;
    use crate::eval;
    use crate::othello::random::{random_position, seeded};

    #[test]
    fn every_schedule_is_tried_on_every_opening_and_the_best_comes_first() {
        let suspects = ["discs", "mobility"].map(|name| {
            let evaluation = eval::registry::by_name(name, &Options::new()).unwrap();
            Suspect { name, evaluation }
        });
        let mut opponent = Estimate::new(suspects.to_vec(), 1);
        let mut rng = seeded(71);
        // An opponent who takes as many discs as it can.
        for index in 0..20 {
            let position = random_position(40 - index, &mut rng);
            let greediest = position.children().max_by_key(|(_, after)| {
                after.opponent().count() as i32 - after.mover().count() as i32
            });
            opponent.observe(position, greediest.unwrap().0);
        }
        let mut options = Options::new();
        for (name, value) in [("eval", "mobility"), ("hash", "1")] {
            options.set(name, value).unwrap();
        }
        let openings = vec![random_position(20, &mut rng), random_position(21, &mut rng)];
        let lessons = Lessons { opponent, openings, options, depth: 2, seed: 1 };
        let model = lessons.model_settings();
        assert_eq!(model[1], ("opponent-eval", "discs".to_owned()));
        let learn = || lessons.learn(&StopFlag::new(), &mut || ()).unwrap().unwrap();
        let found = learn();
        assert_eq!(found.len(), SCHEDULES.len());
        for pair in found.windows(2) {
            assert!(pair[0].score() >= pair[1].score());
        }
        assert!(found.iter().all(|lesson| lesson.games.iter().sum::<u32>() == 4));
        assert_eq!(format!("{found:?}"), format!("{:?}", learn()));
    }

    #[test]
    fn replies_are_drawn_as_often_as_they_are_likely() {
        let replies = vec![(Move::Pass, 0.25), ("c4".parse::<Move>().unwrap(), 0.75)];
        let mut rng = seeded(72);
        let passes = (0..4_000).filter(|_| drawn(&replies, &mut rng) == Move::Pass).count();
        assert!((900..1_100).contains(&passes), "{passes}");
    }
}
