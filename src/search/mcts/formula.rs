//! The formulas of Monte Carlo tree search, each a pure function: UCB1, UCB1 with the evaluation
//! as virtual playouts (Kitamura and Matsuzaki 2017, equations 1 and 2), and PUCT.
//!
//! Win rates and win counts are always from the point of view of the side that moves *into* the
//! child being judged.

/// UCB1 (equation 1): win rate plus `c` (C) times √(ln n / n_s).
///
/// `wins` is sum(X(s)), `visits` n_s of the child and `total` n of its parent. A child without a
/// visit has to come first, so it is worth infinity.
pub fn ucb1(wins: f64, visits: u32, total: u32, c: f64) -> f64 {
    if visits == 0 {
        return f64::INFINITY;
    }
    let visits = f64::from(visits);
    wins / visits + exploration(c, log(total) / visits)
}

/// How the W virtual playouts enter the logarithm of equation 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PriorLog {
    /// ln n + W, as the paper prints it.
    Outside,
    /// ln(n + W), what W extra playouts would naturally mean.
    Inside,
}

/// The evaluation of a child as virtual playouts in UCB1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VirtualPlayouts {
    /// How many (W).
    pub weight: f64,
    /// Where they enter the logarithm.
    pub log: PriorLog,
}

/// UCB1 with virtual playouts (equation 2): `estimate` is E(s), the win rate the evaluation
/// gives the child; the rest as in [`ucb1`].
pub fn ucb1_with_prior(
    estimate: f64,
    prior: VirtualPlayouts,
    wins: f64,
    visits: u32,
    total: u32,
    c: f64,
) -> f64 {
    let weight = prior.weight;
    let visits = f64::from(visits) + weight;
    let numerator = match prior.log {
        PriorLog::Outside => log(total) + weight,
        PriorLog::Inside => (f64::from(total.max(1)) + weight).ln(),
    };
    (estimate * weight + wins) / visits + exploration(c, numerator / visits)
}

/// `c` · √x, where no exploration is none even of an infinite x (which a tiny W makes of a child
/// without visits): 0 · ∞ would be no number and lose every comparison.
fn exploration(c: f64, x: f64) -> f64 {
    if c > 0.0 { c * x.sqrt() } else { 0.0 }
}

/// ln n, with the first playout counted as if one had been run (ln 0 has no meaning here).
fn log(total: u32) -> f64 {
    f64::from(total.max(1)).ln()
}

/// PUCT: `value` plus `c` · `prior` · √total / (1 + visits), where `visits` includes those still
/// under way.
#[inline]
pub fn puct(value: f32, prior: f32, visits: u32, root_of_total: f32, c: f32) -> f32 {
    value + c * prior * root_of_total / (1 + visits) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 5e-7, "{found} is not {expected}");
    }

    const AS_PRINTED: VirtualPlayouts = VirtualPlayouts { weight: 5.0, log: PriorLog::Outside };

    #[test]
    fn ucb1_gives_the_worked_number() {
        // n = 100, n_s = 10, 6 wins, C = 0.1: 0.6 + 0.1·√(4.605170/10).
        close(ucb1(6.0, 10, 100, 0.1), 0.667861);
        assert_eq!(ucb1(0.0, 0, 100, 0.1), f64::INFINITY);
    }

    #[test]
    fn ucb1_with_prior_gives_both_worked_numbers() {
        close(ucb1_with_prior(0.7, AS_PRINTED, 6.0, 10, 100, 0.1), 0.713355);
        let inside = VirtualPlayouts { log: PriorLog::Inside, ..AS_PRINTED };
        close(ucb1_with_prior(0.7, inside, 6.0, 10, 100, 0.1), 0.689035);
    }

    #[test]
    fn unvisited_children_are_ordered_by_their_estimates() {
        let at = |estimate| ucb1_with_prior(estimate, AS_PRINTED, 0.0, 0, 0, 0.1);
        // n = n_s = 0: E + 0.1·√(5/5).
        close(at(0.25), 0.35);
        close(at(0.75), 0.85);
    }

    #[test]
    fn without_virtual_playouts_equation_2_is_equation_1() {
        for log in [PriorLog::Outside, PriorLog::Inside] {
            let none = VirtualPlayouts { weight: 0.0, log };
            close(ucb1_with_prior(0.9, none, 3.5, 8, 50, 0.4), ucb1(3.5, 8, 50, 0.4));
        }
    }

    #[test]
    fn puct_on_a_hand_computed_parent() {
        // Parent with 16 visits, c = 1.5: an unvisited move with prior 0.25 and value 0.5 is worth
        // 0.5 + 1.5·0.25·4/1 = 2.0; after 2 visits 0.5 + 1.5·0.25·4/3 = 1.0.
        assert_eq!(puct(0.5, 0.25, 0, 4.0, 1.5), 2.0);
        let tiny = VirtualPlayouts { weight: 1e-320, log: PriorLog::Outside };
        for c in [0.0, 1e-320, 1.0, 100.0] {
            assert!(!ucb1_with_prior(0.5, tiny, 0.0, 0, 1, c).is_nan(), "{c}");
        }
        assert_eq!(puct(0.5, 0.25, 2, 4.0, 1.5), 1.0);
    }
}
