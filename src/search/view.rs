//! Who is taken for the side to move when a position is evaluated after a move.
//!
//! An evaluation such as Zebra's depends on who is to move: its stage constant, parity and tables are
//! for that side. Asked for a position after one's own move the right question is "what is it worth
//! for the opponent, who is to move?" The 2017 Monte Carlo paper says "for oneself", and its tables 3
//! and 4 come out right only if its programs asked as if the player itself were to move.

use crate::eval::Evaluator;
use crate::options::{Options, TypedOption};
use crate::othello::Position;

/// The option.
pub(super) static EVAL_VIEW: TypedOption<String> = TypedOption::choice(
    "eval-view",
    &["mover", "own"],
    "mover",
    "For whom a position after a move is evaluated: the side to move (mover) or the player itself as \
     if it were to move again (own, the reading that reproduces the 2017 paper).",
);

/// How the evaluation is asked about a position in which the opponent of the asking player is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum View {
    /// For the side to move, the sign turned.
    #[default]
    Mover,
    /// As if the asking player were to move.
    Own,
}

impl View {
    /// What the option says.
    pub(super) fn from_options(options: &Options) -> View {
        if options.get(&EVAL_VIEW) == "own" { View::Own } else { View::Mover }
    }

    /// The value of a position for the player who asks, in evaluation units.
    pub fn value(self, evaluator: &dyn Evaluator, position: Position, is_to_move: bool) -> i32 {
        match (is_to_move, self) {
            (true, _) => evaluator.evaluate(position),
            (false, View::Mover) => -evaluator.evaluate(position),
            (false, View::Own) => evaluator.evaluate(position.pass()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worth 10 units to be on move, and a unit for each own disc.
    struct Tempo;

    impl Evaluator for Tempo {
        fn evaluate(&self, position: Position) -> i32 {
            let discs = |side: crate::othello::Bitboard| side.count() as i32;
            10 + discs(position.mover()) - discs(position.opponent())
        }
    }

    #[test]
    fn the_views_differ_by_what_it_is_worth_to_be_on_move() {
        let position = Position::from_disjoint(0b1110, 0b0001);
        assert_eq!(View::Mover.value(&Tempo, position, true), 12);
        assert_eq!(View::Own.value(&Tempo, position, true), 12);
        assert_eq!(View::Mover.value(&Tempo, position, false), -12);
        assert_eq!(View::Own.value(&Tempo, position, false), 8);
    }
}
