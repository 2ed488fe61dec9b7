//! The normals behind a value: the last position of a line above its leaves, with the mean of every
//! move there. For display only; the searches compute the same inside.

use super::exact::{expected_max, expected_max_with_certain};
use super::settings::{ExpectationSettings, Finished, Passes};
use super::tree::{OthelloTree, Tree};
use crate::eval::Incremental;
use crate::othello::{Move, Position};
use crate::search::behind::{Leaf, Normals};

/// Follows a line of a search that was `depth` plies deep to the parent of its leaves. `None` if it
/// ends before, as lines do that end the game or were not searched with a full window.
pub(super) fn at_the_end<E: Incremental>(
    tree: &OthelloTree<'_, E>,
    settings: &ExpectationSettings,
    root: Position,
    line: &[Move],
    depth: u32,
) -> Option<Normals> {
    let (mut position, mut left, mut walked) = (root, depth, Vec::new());
    for &played in line {
        // The root itself takes the best of its moves, never a mean.
        if left <= 1 && !walked.is_empty() && !position.must_pass() {
            break;
        }
        position = position.after(played)?;
        walked.push(played);
        if played != Move::Pass || settings.passes == Passes::Ply {
            left = left.saturating_sub(1);
        }
    }
    if left != 1 || walked.is_empty() || position.is_over() || position.must_pass() {
        return None;
    }
    let node = tree.root(position);
    let spread = settings.spreads.at(tree.stage(&node) + 1);
    let mut leaves: Vec<Leaf> = tree
        .children(&node, position.legal_moves())
        .into_iter()
        .map(|(played, child)| {
            let ending = tree.final_value(&child).filter(|_| settings.finished == Finished::Exact);
            let value = ending.unwrap_or_else(|| spread.mean(tree.evaluate(&child)));
            Leaf { r#move: played, mean: -value, is_certain: ending.is_some() }
        })
        .collect();
    leaves.sort_by(|one, other| other.mean.total_cmp(&one.mean));
    let means = |certain: bool| {
        leaves.iter().filter(move |leaf| leaf.is_certain == certain).map(|leaf| leaf.mean)
    };
    let best_mean = leaves.first()?.mean;
    let uncertain: Vec<f64> = means(false).collect();
    let certain = means(true).fold(f64::NEG_INFINITY, f64::max);
    let expectation = if spread.sigma.get() == 0.0 || uncertain.is_empty() {
        best_mean
    } else if certain == f64::NEG_INFINITY {
        expected_max(spread.sigma, &uncertain)
    } else {
        expected_max_with_certain(spread.sigma, &uncertain, certain)
    };
    let is_own = walked.len().is_multiple_of(2);
    let sigma = spread.sigma.get();
    Some(Normals { line: walked, is_own, sigma, leaves, expectation, best_mean })
}

#[cfg(test)]
mod tests {
    use crate::options::Options;
    use crate::othello::random::{random_position, seeded};
    use crate::search::behind::Behind;
    use crate::search::{Limits, Request, StopFlag, registry};

    #[test]
    fn the_mean_of_the_normals_is_the_value_of_the_line() {
        let mut rng = seeded(31);
        let mut seen = 0;
        for name in ["expectation", "expected-value"] {
            for depth in 1..=4 {
                for empties in [50, 40, 30, 20, 10, 6] {
                    let mut options = Options::new();
                    for (name, value) in
                        [("method", name), ("eval", "mobility"), ("sigma", "6.5"), ("hash", "1")]
                    {
                        options.set(name, value).unwrap();
                    }
                    let mut method = registry::build(&options).unwrap();
                    let position = random_position(empties, &mut rng);
                    let request =
                        Request { multi_pv: 64, ..Request::new(position, Limits::depth(depth)) };
                    let outcome = method.search(&request, &StopFlag::new(), &mut |_| ());
                    for line in &outcome.lines {
                        let Some(Behind::Normals(normals)) =
                            method.behind(position, line, outcome.depth)
                        else {
                            continue;
                        };
                        let value =
                            if normals.is_own { normals.expectation } else { -normals.expectation };
                        assert!((value - line.score.discs()).abs() < 0.0051, "{name} {depth}");
                        assert!(normals.expectation >= normals.best_mean);
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 150, "{seen}");
    }
}
