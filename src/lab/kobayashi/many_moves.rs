//! The experiment over T moves (section 4.3, tables 9 and 10).
//!
//! From one recorded position two games are played against an opponent who plays minimax three plies
//! deep: in one the first side makes T moves by the expectation method, in the other by minimax. The
//! T-th move of each game is valued from that game's position. A game that ends before its T-th move
//! is worth its final score.

use super::one_move::{Judge, Pair, Result, Rule, judge_all};
use crate::othello::Position;
use crate::search::StopFlag;

/// Discs played when the T-th choice is made.
const LAST_CHOICE: u32 = 52;

/// The discs after which the experiment with T moves begins.
pub fn first_discs(moves: u32) -> u32 {
    LAST_CHOICE - 2 * (moves - 1)
}

/// The experiment.
#[derive(Clone, Copy, Debug)]
pub struct ManyMoves {
    /// The rule of the first side in one of the games.
    pub rule: Rule,
    /// T.
    pub moves: u32,
}

impl ManyMoves {
    /// Runs it on all cores; `None` if stopped. `progress` is told of every position done.
    pub fn run(
        &self,
        positions: &[Position],
        stop: &StopFlag,
        progress: &(dyn Fn() + Sync),
    ) -> Option<Result> {
        judge_all(positions, stop, progress, |position| {
            let (k, m) = (self.play(position, &self.rule), self.play(position, &Rule::Minimax));
            Pair { k, m, different: k != m }
        })
    }

    /// What the first side's T-th move is worth to it: by minimax two plies deeper, and solved.
    fn play(&self, mut position: Position, rule: &Rule) -> [i32; 2] {
        for _ in 1..self.moves {
            position = position.after_unchecked(rule.choose(position));
            match next_turn(position) {
                Ok(next) => position = next,
                Err(score) => return [score; 2],
            }
        }
        let chosen = rule.choose(position);
        [Judge::Deeper, Judge::Solved].map(|judge| judge.value(position, chosen))
    }
}

/// The next position in which the first side can move, after a move of its own; or, if the game is
/// over before that, its final score for the first side.
fn next_turn(mut position: Position) -> std::result::Result<Position, i32> {
    loop {
        if position.is_over() {
            return Err(-position.final_score());
        }
        // The opponent, to move; it must pass only if the first side can move.
        if !position.has_move() {
            return Ok(position.pass());
        }
        position = position.after_unchecked(Rule::Minimax.choose(position));
        if position.is_over() {
            return Err(position.final_score());
        }
        if position.has_move() {
            return Ok(position);
        }
        position = position.pass();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::kobayashi::one_move::OneMove;
    use crate::othello::random::random_position;
    use crate::random::seeded;
    use crate::search::expectation::Deviation;

    #[test]
    fn the_t_th_choice_is_made_after_52_discs() {
        assert_eq!([2, 3, 5, 7].map(first_discs), [50, 48, 44, 40]);
    }

    #[test]
    fn one_move_is_the_one_move_experiment() {
        let mut rng = seeded(4);
        let positions: Vec<Position> = (0..60)
            .map(|_| random_position(8, &mut rng))
            .filter(|position| position.has_move())
            .collect();
        let sigma = Deviation::clamped(8.5);
        let rule = Rule::Expectation { sigma, samples: 0, seed: 1 };
        let many = ManyMoves { rule, moves: 1 }.run(&positions, &StopFlag::new(), &|| ()).unwrap();
        let one = OneMove { rule }.run(&positions, &StopFlag::new(), &|| ()).unwrap();
        assert_eq!(many.deeper.cell, one.deeper.cell);
        assert_eq!(many.solved.cell, one.solved.cell);
        assert!(many.deeper.cell.k_better > 0);
    }

    #[test]
    fn turns_come_round_to_the_first_side_and_ends_are_its_scores() {
        let mut rng = seeded(5);
        let mut ends = 0;
        for _ in 0..300 {
            let start = random_position(4, &mut rng);
            if !start.has_move() {
                continue;
            }
            let after = start.after_unchecked(Rule::Minimax.choose(start));
            match next_turn(after) {
                Ok(position) => assert!(position.has_move()),
                Err(score) => {
                    ends += 1;
                    // Played on by both sides the game has this score, or was over at once.
                    assert!((-64..=64).contains(&score));
                    if after.is_over() {
                        assert_eq!(score, -after.final_score());
                    }
                }
            }
        }
        assert!(ends > 0);
    }
}
