//! Which idea for whom: all methods against each other at equal time.
//!
//! Its games are limited by time: its result is not the same twice, and the registry says so.

use crate::lab::bench::{Bench, LabError};
use crate::lab::matches::{Pairings, plan};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::verdict::Figure;
use crate::plot::{self, Interval};
use crate::statistics::normal::Z95;

const SEED: u64 = 20;
/// Milliseconds of a move.
const MOVE_TIME: u32 = 10;

/// The players: a name and what it is.
const PLAYERS: &[(&str, &str)] = &[
    ("minimax", "method=minimax"),
    ("mcts", "mcts,threads=1"),
    ("expectation", "method=expectation"),
    ("expected-value", "method=expected-value"),
    ("shared", "shared"),
    ("om", "om"),
    ("uct E (pattern)", "method=uct,playout-policy=ranked,eval=pattern"),
    ("M & N", "method=m-and-n"),
    ("generalised mean", "method=generalized-mean"),
    ("product", "method=product"),
];

/// Plays them all.
///
/// # Errors
/// If the games cannot be played.
pub fn round_robin(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let rounds = bench.size(1, 10);
    let players = if bench.quick { &PLAYERS[..5] } else { PLAYERS };
    let specs: Vec<String> = players
        .iter()
        .map(|(name, what)| format!("{what},name={name},hash=4,move-time={MOVE_TIME}"))
        .collect();
    let plan = plan(&specs, Pairings::RoundRobin, "random:8", rounds, SEED)?;
    let (_, standing) = bench.play(&plan, "")?;
    let mut ranked: Vec<_> = standing.players.iter().collect();
    ranked.sort_by(|a, b| b.bayes.elo.total_cmp(&a.bayes.elo));
    let columns =
        vec![Column::new("Elo", 0), Column::new("score, %", 1), Column::new("ms a move", 1)];
    let title = format!("All methods at {MOVE_TIME} ms a move");
    let mut table = Table::new(&title, &[], "method", columns);
    let mut intervals = Vec::new();
    for player in ranked {
        let (elo, margin) = (player.bayes.elo, player.bayes.margin);
        let share = player.points / player.games.max(1) as f64;
        table.row(
            player.name.clone(),
            vec![
                Figure::ours(elo, margin / Z95),
                Figure::ours(100.0 * share, None),
                Figure::ours(player.move_time.mean, None),
            ],
        );
        let (low, high) = (elo - margin, elo + margin);
        intervals.push(Interval { name: player.name.clone(), low, middle: elo, high, color: 0 });
    }
    let mut outcome = Outcome {
        seed: SEED,
        settings: format!("{} games a pairing, random:8, {MOVE_TIME} ms a move", 2 * rounds),
        reading:
            "One thread each. The games depend on the clock and so on the machine and what else it \
            does; they are not repeated exactly."
                .to_owned(),
        tables: vec![table],
        ..Outcome::default()
    };
    outcome.chart("Ratings, mean 0", plot::intervals(&intervals, "Elo, 95 %"));
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::PlayerSpec;

    #[test]
    fn every_player_can_be_had() {
        for (name, what) in PLAYERS {
            let spec = format!("{what},name={name},hash=4,move-time={MOVE_TIME}");
            let player = PlayerSpec::parse(&spec).unwrap();
            assert_eq!(player.name, *name);
            player.build(None).unwrap();
        }
    }
}
