//! Kitamura and Matsuzaki 2017, "evaluation functions inside MCTS players": its players, as matches
//! read them, under two readings.
//!
//! - [`mod@matches`]: tables 3 to 6 and figures 14 to 17;
//! - [`evaluations`]: figures 5 to 13, the range of the evaluation, W0 to W9 against solved endgames.
//!
//! The paper plays its Monte Carlo players against alpha-beta with Zebra's evaluation (table 4) and
//! rates them against three alpha-beta players with Shioda's evaluation (tables 3, 5 and 6). Its
//! anchors' depths are not given; here they look ahead 1, 2 and 3 plies and their own games fix the
//! scale with mean 0.

pub mod evaluations;
pub mod matches;

use std::path::Path;

use crate::lab::printed::{PrintedRow, table};

/// One cell of table 4: plain UCT (Black) against alpha-beta with W0.
#[derive(Clone, Copy, Debug)]
pub struct PlainCell {
    /// Playouts per move.
    pub playouts: u32,
    /// Plies the opponent looks ahead.
    pub depth: u32,
    /// Games won, drawn and lost, of 100.
    pub published: [u32; 3],
}

/// Table 4, in its order.
pub fn table_4() -> Vec<PlainCell> {
    let cell = |row: PrintedRow<'_>| PlainCell {
        playouts: row.figure("playouts") as u32,
        depth: if row.text("opponent") == "AB_1" { 1 } else { 2 },
        published: ["mcts_black_wins", "draws", "ab_white_wins"]
            .map(|column| row.figure(column) as u32),
    };
    table("kitamura2017-table4").rows().map(cell).collect()
}

/// A player of tables 5 and 6 with its ratings at 1,000 and 10,000 playouts.
#[derive(Clone, Copy, Debug)]
pub struct RatedPlayer {
    /// The preset's middle name: `plain`, `t` or `e`.
    pub player: &'static str,
    /// The evaluation W_i; plain has none.
    pub evaluation: Option<u32>,
    /// Published ratings.
    pub published: [i32; 2],
}

/// Tables 5 and 6: plain, then E and T with W0 to W9.
pub fn tables_5_and_6() -> Vec<RatedPlayer> {
    let plain = table("kitamura2017-table5");
    let rating = |playouts| {
        plain.find(&[("playouts", playouts)]).map_or(0, |row| row.figure("rating") as i32)
    };
    let mut players = vec![RatedPlayer {
        player: "plain",
        evaluation: None,
        published: ["1000", "10000"].map(rating),
    }];
    players.extend(table("kitamura2017-table6").rows().map(|row| {
        RatedPlayer {
            player: if row.text("player") == "E" { "e" } else { "t" },
            evaluation: row.text("evaluation").trim_start_matches('W').parse().ok(),
            published: ["rating_1000_playouts", "rating_10000_playouts"]
                .map(|column| row.figure(column) as i32),
        }
    }));
    players
}

/// Plies that the anchors look ahead.
pub const ANCHOR_DEPTHS: [u32; 3] = [1, 2, 3];

/// How the paper is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As its formulas say: the evaluation is asked for the side to move, plain UCT has equation 1,
    /// E(s) is for the side that moves into s.
    Formulas,
    /// As its figures say: every evaluation is made as if the player itself were to move, plain UCT
    /// has equation 2 with even chances, E(s) is the searching player's everywhere.
    Figures,
}

impl Reading {
    /// Both.
    pub const BOTH: [Reading; 2] = [Reading::Figures, Reading::Formulas];

    /// In a few words.
    pub fn name(self) -> &'static str {
        match self {
            Reading::Formulas => "by its formulas (correct view)",
            Reading::Figures => "reading R (own view)",
        }
    }

    /// In a letter, for names of files.
    pub fn letter(self) -> &'static str {
        match self {
            Reading::Formulas => "f",
            Reading::Figures => "r",
        }
    }

    fn view(self) -> &'static str {
        match self {
            Reading::Formulas => "mover",
            Reading::Figures => "own",
        }
    }
}

impl RatedPlayer {
    /// The player's name in tables: `plain`, `T W1`, …
    pub fn name(&self) -> String {
        match self.evaluation {
            None => self.player.to_owned(),
            Some(number) => format!("{} W{number}", self.player.to_uppercase()),
        }
    }

    /// The player as a match reads it.
    pub fn spec(&self, reading: Reading, playouts: u32, coefficients: &Path) -> String {
        let Some(number) = self.evaluation else { return plain_spec(reading, playouts, "plain") };
        let prior = match reading {
            Reading::Formulas => "mover",
            Reading::Figures => "root",
        };
        format!(
            "uct-{}-{playouts},name={},eval=zebra-w{number},zebra-coeffs={},prior={prior},eval-view={}",
            self.player,
            self.name(),
            coefficients.display(),
            reading.view()
        )
    }
}

/// Plain UCT as a match reads it.
pub fn plain_spec(reading: Reading, playouts: u32, name: &str) -> String {
    let prior = match reading {
        Reading::Formulas => "",
        Reading::Figures => ",prior-weight=5,prior=even",
    };
    format!("uct-plain-{playouts},name={name}{prior}")
}

/// Alpha-beta with one of W0 to W9 as a match reads it.
pub fn alpha_beta_spec(reading: Reading, depth: u32, number: u32, coefficients: &Path) -> String {
    format!(
        "method=alpha-beta,name=AB_{depth} W{number},depth={depth},eval=zebra-w{number},\
         zebra-coeffs={},eval-view={}",
        coefficients.display(),
        reading.view()
    )
}

/// An anchor as a match reads it: noise is added to every term, so that its games differ.
pub fn anchor_spec(depth: u32) -> String {
    format!(
        "method=alpha-beta,name=Shioda {depth},depth={depth},eval=shioda,shioda-noise=1,\
         shioda-noise-kind=additive"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::PlayerSpec;

    #[test]
    fn every_player_of_the_tables_is_one_a_match_can_read() {
        let file = Path::new("coeffs2.bin");
        let rated = tables_5_and_6().into_iter().flat_map(|player| {
            [1_000, 10_000].map(|playouts| player.spec(Reading::Figures, playouts, file))
        });
        let other = Reading::Formulas;
        let others = [
            plain_spec(other, 1_000, "plain 1000"),
            plain_spec(other, 10_000, "plain 10000"),
            alpha_beta_spec(other, 2, 9, file),
        ];
        let names: Vec<String> = rated
            .chain(others)
            .chain(ANCHOR_DEPTHS.map(anchor_spec))
            .map(|spec| PlayerSpec::parse(&spec).unwrap().name)
            .collect();
        assert_eq!(names.len(), 48);
        assert_eq!(names[2], "E W0");
        assert_eq!(names[47], "Shioda 3");
    }

    #[test]
    fn the_published_cells_are_of_a_hundred_games() {
        assert!(table_4().iter().all(|cell| cell.published.iter().sum::<u32>() == 100));
        let players = tables_5_and_6();
        assert_eq!(players.len(), 21);
        let best = players.iter().max_by_key(|player| player.published[1]);
        assert_eq!(best.map(RatedPlayer::name).as_deref(), Some("E W0"));
    }
}
