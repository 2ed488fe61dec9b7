//! Kitamura and Matsuzaki 2017, "evaluation functions inside MCTS players": tables 4 to 6.
//!
//! The paper plays its Monte Carlo players against alpha-beta with Zebra's evaluation (table 4) and
//! rates them against three alpha-beta players with Shioda's evaluation (tables 5 and 6). Its
//! anchors' depths are not given; here they look ahead 1, 2 and 3 plies and their own games fix the
//! scale with mean 0, so that ratings compare by differences only. Colours alternate.

use std::path::Path;

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

/// Table 4.
pub const TABLE_4: [PlainCell; 4] = [
    PlainCell { playouts: 1_000, depth: 1, published: [49, 1, 50] },
    PlainCell { playouts: 10_000, depth: 1, published: [66, 0, 34] },
    PlainCell { playouts: 1_000, depth: 2, published: [2, 0, 98] },
    PlainCell { playouts: 10_000, depth: 2, published: [8, 0, 92] },
];

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

const fn rated(player: &'static str, evaluation: u32, published: [i32; 2]) -> RatedPlayer {
    RatedPlayer { player, evaluation: Some(evaluation), published }
}

/// Tables 5 and 6.
pub const TABLES_5_AND_6: [RatedPlayer; 21] = [
    RatedPlayer { player: "plain", evaluation: None, published: [3, 110] },
    rated("e", 0, [481, 669]),
    rated("e", 1, [196, 320]),
    rated("e", 2, [464, 537]),
    rated("e", 3, [401, 546]),
    rated("e", 4, [455, 646]),
    rated("e", 5, [395, 583]),
    rated("e", 6, [406, 514]),
    rated("e", 7, [452, 617]),
    rated("e", 8, [347, 513]),
    rated("e", 9, [262, 326]),
    rated("t", 0, [132, 230]),
    rated("t", 1, [51, 135]),
    rated("t", 2, [91, 183]),
    rated("t", 3, [132, 180]),
    rated("t", 4, [94, 199]),
    rated("t", 5, [114, 164]),
    rated("t", 6, [100, 195]),
    rated("t", 7, [104, 188]),
    rated("t", 8, [72, 183]),
    rated("t", 9, [79, 146]),
];

/// Plies that the anchors look ahead.
pub const ANCHOR_DEPTHS: [u32; 3] = [1, 2, 3];

/// Plain fixed-depth alpha-beta: no forward pruning, nothing solved beyond the depth.
const FIXED_DEPTH: &str = "method=minimax,selectivity=100,exact-from=0";

impl RatedPlayer {
    /// The player's name in tables: `plain`, `T W1`, …
    pub fn name(&self) -> String {
        match self.evaluation {
            None => self.player.to_owned(),
            Some(number) => format!("{} W{number}", self.player.to_uppercase()),
        }
    }

    /// The player as a match reads it.
    pub fn spec(&self, playouts: u32, coefficients: &Path) -> String {
        let preset = format!("uct-{}-{playouts},name={}", self.player, self.name());
        match self.evaluation {
            None => preset,
            Some(number) => {
                format!("{preset},eval=zebra-w{number},zebra-coeffs={}", coefficients.display())
            }
        }
    }
}

/// Plain UCT as a match reads it.
pub fn plain_spec(playouts: u32) -> String {
    format!("uct-plain-{playouts},name=plain {playouts}")
}

/// Alpha-beta with W0 as a match reads it.
pub fn alpha_beta_spec(depth: u32, coefficients: &Path) -> String {
    let file = coefficients.display();
    format!("{FIXED_DEPTH},name=AB_{depth},depth={depth},eval=zebra,zebra-coeffs={file}")
}

/// An anchor as a match reads it.
pub fn anchor_spec(depth: u32) -> String {
    format!("{FIXED_DEPTH},name=Shioda {depth},depth={depth},eval=shioda")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::PlayerSpec;

    #[test]
    fn every_player_of_the_tables_is_one_a_match_can_read() {
        let file = Path::new("coeffs2.bin");
        let rated = TABLES_5_AND_6
            .iter()
            .flat_map(|player| [1_000, 10_000].map(|playouts| player.spec(playouts, file)));
        let others = [plain_spec(1_000), plain_spec(10_000), alpha_beta_spec(2, file)];
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
        assert!(TABLE_4.iter().all(|cell| cell.published.iter().sum::<u32>() == 100));
        let best = TABLES_5_AND_6.iter().max_by_key(|player| player.published[1]);
        assert_eq!(best.map(RatedPlayer::name).as_deref(), Some("E W0"));
    }
}
