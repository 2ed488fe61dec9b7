//! The solver against a brute-force twin: no pruning, no table, the rules and nothing else.

use super::*;
use crate::othello::Move;
use crate::othello::random::{random_position, scattered_position, seeded};

fn brute_force(position: Position) -> i32 {
    let best = position.children().map(|(_, child)| -brute_force(child)).max();
    best.unwrap_or_else(|| position.final_score())
}

/// Odd and ordinary positions of this many empties.
fn positions(empties: u32, count: usize, seed: u64) -> Vec<Position> {
    let mut rng = seeded(seed + u64::from(empties));
    (0..count)
        .map(|i| {
            if i % 2 == 0 {
                random_position(empties, &mut rng)
            } else {
                scattered_position(empties, &mut rng)
            }
        })
        .collect()
}

#[test]
fn brute_force_agrees_on_thousands_of_positions_with_every_window() {
    let stop = AtomicBool::new(false);
    let mut solver = Solver::new(&stop);
    let mut passes = 0;
    for (empties, count) in [
        (0, 50),
        (1, 800),
        (2, 800),
        (3, 800),
        (4, 800),
        (5, 600),
        (6, 400),
        (7, 200),
        (8, 60),
        (9, 16),
        (10, 6),
    ] {
        for position in positions(empties, count, 100) {
            let exact = brute_force(position);
            passes += usize::from(position.must_pass());
            assert_eq!(solver.solve(position, -64, 64), exact, "{position:?}");
            // Whatever is expected.
            for expected in [-70, exact - 6, exact, exact + 1, 90] {
                assert_eq!(solver.solve_near(position, -64, 64, expected), exact, "{position:?}");
                let outcome = solver.solve_near(position, -1, 1, expected);
                assert_eq!(outcome.signum(), exact.signum(), "{position:?}");
            }
            // Win, loss or draw.
            assert_eq!(solver.solve(position, -1, 1).signum(), exact.signum(), "{position:?}");
            for alpha in [exact - 5, exact - 2, exact - 1, exact, exact + 1, exact + 4] {
                let above = solver.null_window(position, alpha);
                assert_eq!(above > alpha, exact > alpha, "{position:?} alpha {alpha}");
                assert!(if above > alpha { above <= exact } else { above >= exact });
                for beta in [alpha - 3, alpha, alpha + 1, alpha + 2, alpha + 7] {
                    let score = solver.solve(position, alpha, beta);
                    if exact > alpha && exact < beta {
                        assert_eq!(score, exact);
                    } else if alpha < beta && exact <= alpha {
                        assert!(score <= alpha && score >= exact);
                    } else if alpha < beta {
                        assert!(score >= beta && score <= exact);
                    }
                }
            }
        }
    }
    assert!(passes > 100, "only {passes} positions with a forced pass");
}

#[test]
fn all_moves_solved_match_brute_force_move_by_move() {
    let stop = AtomicBool::new(false);
    let mut solver = Solver::new(&stop);
    for position in positions(7, 60, 200) {
        let all = solver.solve_all(position);
        assert_eq!(all.len(), position.children().count());
        for (chosen, score) in all {
            let child = position.after(chosen).unwrap();
            assert_eq!(score, -brute_force(child));
            assert!(chosen != Move::Pass || position.must_pass());
        }
    }
}

#[test]
fn parity_counts_the_empties_of_each_quadrant() {
    assert_eq!(parity(0), 0);
    for square in 0..64 {
        assert_eq!(parity(1 << square), quadrant(square));
    }
    assert_eq!(parity(1 | 1 << 9), 0);
}
