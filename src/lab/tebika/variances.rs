//! Table 2: how far leaf values stray from the root's value, and values two plies deeper from the
//! leaf's, in recorded Othello games; their ratio is all that the virtual trees need.

use std::sync::Arc;

use crate::eval::discs::Discs;
use crate::eval::mobility::Mobility;
use crate::eval::{self, Evaluation, Incremental, with_evaluator};
use crate::lab::bench::{Bench, LabError, WTHOR_EARLY};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::printed::table as printed_table;
use crate::lab::verdict::Figure;
use crate::options::Options;
use crate::othello::Position;
use crate::search::expectation::Deviation;
use crate::search::expectation::settings::{ExpectationSettings, Finished};
use crate::search::expectation::tree::{Expansion, OthelloTree, Tree};
use crate::statistics::Moments;
use crate::training::calibration::spread::Measure;
use crate::training::recorded::sample;

const SEED: u64 = 1999;
/// Discs played at the root.
const DISCS: u32 = 46;
/// Plies from the root to the leaves.
const DEPTH: u32 = 3;
/// The ratio of the two variances in the paper.
const RATIO_MATTERS: f64 = 0.5;

/// Leaf values less the root's, in the root side's view; a pass uses up no depth.
fn about_root<E: Incremental>(evaluation: &E, position: Position) -> Moments {
    fn walk<T: Tree>(
        tree: &T,
        node: &T::Node,
        depth: u32,
        sign: f64,
        root: f64,
        found: &mut Moments,
    ) {
        let mut children = Vec::new();
        match (depth, tree.expand(node, &mut children)) {
            (0, _) | (_, Expansion::Over(_)) => found.add(sign * tree.evaluate(node) - root),
            (_, Expansion::Pass(_, next)) => walk(tree, &next, depth, -sign, root, found),
            (_, Expansion::Moves) => {
                for (_, child) in &children {
                    walk(tree, child, depth - 1, -sign, root, found);
                }
            }
        }
    }
    let tree = OthelloTree { evaluation };
    let node = tree.root(position);
    let mut found = Moments::default();
    walk(&tree, &node, DEPTH, 1.0, tree.evaluate(&node), &mut found);
    found
}

/// Measures both variances for several evaluations.
///
/// # Errors
/// If there are no games, an evaluation cannot be had, or the work was interrupted.
pub fn variances(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let games = bench.games(WTHOR_EARLY)?;
    // The paper had 373 records.
    let positions = sample(&games, DISCS, bench.size(60, 373), SEED);
    let mut evaluations: Vec<(&str, Evaluation)> = vec![
        ("disc difference", Evaluation::Other(Arc::new(Discs))),
        ("mobility", Evaluation::Other(Arc::new(Mobility))),
        ("pattern", eval::choose(&Options::new())?),
    ];
    if let Ok(file) = bench.zebra() {
        let mut options = Options::new();
        options.set("eval", "zebra")?;
        options.set("zebra-coeffs", &file.to_string_lossy())?;
        evaluations.push(("Zebra", eval::choose(&options)?));
    }
    let printed = printed_table("tebika-table2");
    let row = printed.find(&[("setting", "othello")]);
    let theirs = |column| row.and_then(|row| row.number(column));
    let columns = vec![
        Column::compared("leaves about the root", 1, 20.0),
        Column::compared("two plies about the leaf", 1, 20.0),
        Column::compared("ratio", 2, RATIO_MATTERS),
        Column::new("mean square about the root", 1),
        Column::new("moves", 1),
    ];
    let mut table = Table::new(
        "Table 2: variances after 46 discs by evaluation, discs²",
        &["tebika-table2"],
        "evaluation",
        columns,
    );
    let moves: Moments = positions.iter().map(|p| f64::from(p.legal_moves().count())).collect();
    let total = (2 * evaluations.len() * positions.len()) as u64;
    let done = std::sync::atomic::AtomicU64::new(0);
    let tick = || {
        let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        (bench.progress)(done, total);
    };
    for (name, evaluation) in &evaluations {
        let mut root = Moments::default();
        // One variance for each position, for the standard error of their mean.
        let mut by_position = Moments::default();
        for &position in &positions {
            let found = with_evaluator!(evaluation, |evaluator| about_root(evaluator, position));
            by_position.add(found.root_mean_square().powi(2));
            root.merge(&found);
            tick();
        }
        let settings = ExpectationSettings {
            finished: Finished::Static,
            ..ExpectationSettings::with_sigma(Deviation::ZERO)
        };
        let measure =
            Measure { tree_depth: DEPTH, ahead: 2, most_leaves: Some(200), seed: SEED, settings };
        let deeper = bench.finished(measure.run(evaluation, &positions, bench.stop, &tick))?;
        let deeper = deeper.moments;
        // Both variances come from the same positions and are about equally uncertain.
        let relative = by_position.standard_error() / by_position.mean().max(1e-9);
        let beside = |value: f64, theirs: Option<f64>| {
            let ours = Figure::ours(value, relative * value);
            theirs.map_or(ours, |theirs| ours.beside(theirs, relative * theirs))
        };
        let ratio = root.variance() / deeper.variance().max(1e-9);
        let their_ratio = theirs("leaf_variance").zip(theirs("two_ply_variance"));
        table.row(
            *name,
            vec![
                beside(root.variance(), theirs("leaf_variance")),
                beside(deeper.variance(), theirs("two_ply_variance")),
                beside(ratio, their_ratio.map(|(leaf, deeper)| leaf / deeper)),
                Figure::ours(root.root_mean_square().powi(2), None),
                Figure::ours(moves.mean(), moves.standard_error()),
            ],
        );
    }
    Ok(Outcome {
        seed: SEED,
        settings: format!("{} positions after {DISCS} discs", positions.len()),
        reading: "The evaluation that the paper measured is not stated and is none of these: the disc \
            difference has variances of about 40 and 30 where the paper prints 189 and 180. Only the \
            ratio matters to the virtual trees."
            .to_owned(),
        tables: vec![table],
        ..Outcome::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::random_position;
    use crate::random::seeded;

    #[test]
    fn leaves_are_all_lines_of_three_plies_in_the_root_s_view() {
        let mut rng = seeded(2);
        for _ in 0..20 {
            let position = random_position(20, &mut rng);
            // The slow way: follow every line, turning sides by hand.
            fn lines(position: Position, depth: u32, own: bool, found: &mut Vec<i32>) {
                if depth == 0 || position.is_over() {
                    let value = position.disc_difference();
                    found.push(if own { value } else { -value });
                    return;
                }
                if !position.has_move() {
                    return lines(position.pass(), depth, !own, found);
                }
                for (_, child) in position.children() {
                    lines(child, depth - 1, !own, found);
                }
            }
            let mut wanted = Vec::new();
            lines(position, DEPTH, true, &mut wanted);
            let root = position.disc_difference();
            let wanted: Moments = wanted.iter().map(|value| f64::from(value - root)).collect();
            let discs: &dyn crate::eval::Evaluator = &Discs;
            let found = about_root(&discs, position);
            assert_eq!(found.count, wanted.count);
            assert!((found.variance() - wanted.variance()).abs() < 1e-9);
        }
    }
}
