//! `kitai bench rules`: perft both ways and the two kernels, on one thread.

use std::hint::black_box;

use serde::Serialize;

use super::timed;
use crate::cli::{CliError, Output};
use crate::othello::fingerprint::{self, KERNELS};
use crate::othello::perft::{PassRule, perft, perft_made};
use crate::othello::random::{random_position, seeded};
use crate::othello::{Position, flips, mobility};

/// Speed of the rules on one thread, with their answers checked.
///
/// Perft is run twice: with the moves of the last ply counted as a set, and with every leaf
/// position really made. The kernels run over positions from random games. Seconds are time on the
/// CPU where the system tells it (Linux), else time on the wall.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai bench rules\n  kitai bench rules --depth 12\n\nWith --json \
one object: kernels, depth, leaves, counted_seconds, made_seconds,\ncounted_leaves_per_second, \
made_leaves_per_second, ns_per_flip, ns_per_mobility, fingerprint."
)]
pub(super) struct Args {
    /// Depth of both perfts
    #[arg(long, default_value_t = USUAL_DEPTH, value_parser = clap::value_parser!(u32).range(1..=16))]
    depth: u32,
}

/// Deep enough for a steady figure, a second or two long.
const USUAL_DEPTH: u32 = 11;

impl Default for Args {
    fn default() -> Args {
        Args { depth: USUAL_DEPTH }
    }
}

#[derive(Serialize)]
struct Report {
    kernels: &'static str,
    depth: u32,
    leaves: u64,
    counted_seconds: f64,
    made_seconds: f64,
    counted_leaves_per_second: f64,
    made_leaves_per_second: f64,
    ns_per_flip: f64,
    ns_per_mobility: f64,
    fingerprint: u64,
}

/// Positions the kernels run over: few enough to stay in the cache.
const POSITIONS: usize = 1024;
/// How often they do.
const ROUNDS: usize = 4096;
/// Seed of those positions.
const SEED: u64 = 11;

/// Runs the command.
///
/// # Errors
/// If the two perfts or the fingerprint disagree with what they must be.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let depth = args.depth;
    output.line(format_args!("kernels      {KERNELS}"))?;
    let (leaves, counted_seconds) =
        timed(|| perft(black_box(Position::START), depth, PassRule::CountsAsPly));
    output.line(rate_line("counted", depth, leaves, counted_seconds))?;
    let (made, made_seconds) =
        timed(|| perft_made(black_box(Position::START), depth, PassRule::CountsAsPly));
    output.line(rate_line("made", depth, made, made_seconds))?;
    let positions = positions();
    let ns_per_mobility = mobility_time(&positions);
    let ns_per_flip = flip_time(&positions);
    output.line(format_args!("mobility     {ns_per_mobility:.2} ns"))?;
    output.line(format_args!("flip         {ns_per_flip:.2} ns"))?;
    let fingerprint = fingerprint::fingerprint(fingerprint::BOARDS, fingerprint::SEED);
    output.line(format_args!("fingerprint  {fingerprint:016x}"))?;
    output.object(&Report {
        kernels: KERNELS,
        depth,
        leaves,
        counted_seconds,
        made_seconds,
        counted_leaves_per_second: leaves as f64 / counted_seconds,
        made_leaves_per_second: made as f64 / made_seconds,
        ns_per_flip,
        ns_per_mobility,
        fingerprint,
    })?;
    if made != leaves {
        return Err(CliError::Found(format!("perft {depth}: counted {leaves}, made {made}")));
    }
    if fingerprint != fingerprint::RECORDED {
        return Err(CliError::Found(format!(
            "the kernels' fingerprint is {fingerprint:016x}, not {:016x}",
            fingerprint::RECORDED
        )));
    }
    Ok(())
}

fn rate_line(how: &str, depth: u32, leaves: u64, seconds: f64) -> String {
    let rate = leaves as f64 / seconds / 1e6;
    format!("{how:<12} perft {depth} = {leaves} in {seconds:.3} s: {rate:.1} M leaves/s")
}

fn positions() -> Vec<Position> {
    let mut rng = seeded(SEED);
    (0..POSITIONS).map(|index| random_position(5 + index as u32 % 55, &mut rng)).collect()
}

/// Nanoseconds per set of legal moves.
fn mobility_time(positions: &[Position]) -> f64 {
    let (_, seconds) = timed(|| {
        let mut all = 0;
        for _ in 0..ROUNDS {
            for position in black_box(positions) {
                all ^= mobility::legal_moves(position.mover().0, position.opponent().0);
            }
        }
        black_box(all)
    });
    seconds * 1e9 / (ROUNDS * positions.len()) as f64
}

/// Nanoseconds per move turned into its flips.
fn flip_time(positions: &[Position]) -> f64 {
    let moves: Vec<(usize, Position)> = positions
        .iter()
        .flat_map(|&position| {
            position.legal_moves().into_iter().map(move |s| (s.index(), position))
        })
        .take(POSITIONS)
        .collect();
    let (_, seconds) = timed(|| {
        let mut all = 0;
        for _ in 0..ROUNDS {
            for &(square, position) in black_box(&moves) {
                all ^= flips::flips(square, position.mover().0, position.opponent().0);
            }
        }
        black_box(all)
    });
    seconds * 1e9 / (ROUNDS * moves.len()) as f64
}
