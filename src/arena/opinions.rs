//! Ending games that the players themselves think decided.
//!
//! A game is lost for a side whose last opinions were all that bad, unless the other side last
//! thought otherwise; it is drawn when the last opinions of both sides were all that even. Players
//! that tell no opinion end nothing.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::referee::Side;
use crate::othello::Color;

/// Opinions of so many own moves in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opinion {
    /// Discs: as bad or worse to lose, as even or more to draw.
    pub discs: f64,
    /// Own moves in a row.
    pub moves: usize,
}

/// A text that is no such rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no rule for opinions: DISCS,MOVES, e.g. 20,4")]
pub struct OpinionError(String);

crate::text::travels_as_text!(Opinion);

impl FromStr for Opinion {
    type Err = OpinionError;

    fn from_str(text: &str) -> Result<Opinion, OpinionError> {
        let read = || {
            let (discs, moves) = text.split_once(',')?;
            let discs: f64 = discs.trim().parse().ok()?;
            let moves: usize = moves.trim().parse().ok()?;
            ((0.0..=64.0).contains(&discs) && (1..=60).contains(&moves))
                .then_some(Opinion { discs, moves })
        };
        read().ok_or_else(|| OpinionError(text.to_owned()))
    }
}

impl fmt::Display for Opinion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.discs, self.moves)
    }
}

/// What both sides have said in a game, the latest last; `None` for a move without an opinion.
#[derive(Clone, Debug, Default)]
pub(super) struct Opinions([Vec<Option<f64>>; 2]);

impl Opinions {
    /// Adds the opinion of a mover, in discs from its view.
    pub(super) fn add(&mut self, color: Color, discs: Option<f64>) {
        self.0[place(color)].push(discs);
    }

    /// The side that has lost by this rule.
    pub(super) fn loser(&self, rule: Opinion) -> Option<Side> {
        [Color::Black, Color::White].into_iter().find_map(|color| {
            let lost = self.last(color, rule.moves, |discs| discs <= -rule.discs);
            let denied = self.0[place(!color)]
                .last()
                .copied()
                .flatten()
                .is_some_and(|discs| discs < rule.discs);
            (lost && !denied).then(|| color.into())
        })
    }

    /// Whether both sides think the game even by this rule.
    pub(super) fn drawn(&self, rule: Opinion) -> bool {
        [Color::Black, Color::White]
            .into_iter()
            .all(|color| self.last(color, rule.moves, |discs| discs.abs() <= rule.discs))
    }

    /// Whether this holds for the last so many opinions of a side.
    fn last(&self, color: Color, moves: usize, holds: impl Fn(f64) -> bool) -> bool {
        let said = &self.0[place(color)];
        said.len() >= moves && said.iter().rev().take(moves).all(|discs| discs.is_some_and(&holds))
    }
}

fn place(color: Color) -> usize {
    match color {
        Color::Black => 0,
        Color::White => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(black: &[Option<f64>], white: &[Option<f64>]) -> Opinions {
        Opinions([black.to_vec(), white.to_vec()])
    }

    #[test]
    fn rules_print_as_they_are_written() {
        for text in ["20,4", "0.5,3"] {
            assert_eq!(text.parse::<Opinion>().unwrap().to_string(), text);
        }
        for bad in ["", "20", "x,4", "20,0", "-1,3", "65,3", "NaN,3"] {
            assert!(bad.parse::<Opinion>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_side_loses_by_its_own_opinion_unless_the_other_denies_it() {
        let rule = Opinion { discs: 20.0, moves: 2 };
        let bad = [Some(-1.0), Some(-20.0), Some(-30.0)];
        assert_eq!(said(&bad, &[Some(25.0)]).loser(rule), Some(Side::Black));
        assert_eq!(said(&bad, &[None]).loser(rule), Some(Side::Black));
        assert_eq!(said(&bad, &[Some(3.0)]).loser(rule), None);
        assert_eq!(said(&bad[..2], &[]).loser(rule), None);
        assert_eq!(said(&[Some(-40.0), None], &[]).loser(rule), None);
        assert_eq!(said(&[Some(40.0)], &bad).loser(rule), Some(Side::White));
    }

    #[test]
    fn a_draw_needs_both() {
        let rule = Opinion { discs: 0.0, moves: 2 };
        let even = [Some(3.0), Some(0.0), Some(0.0)];
        assert!(said(&even, &even).drawn(rule));
        assert!(!said(&even, &even[..2]).drawn(rule));
        assert!(!said(&even, &[None, None]).drawn(rule));
    }
}
