//! E(σ²; h₁…h_k), the mean of the greatest (or least) of independent normals N(hᵢ, σ²), exactly.
//!
//! With M = max h and everything in deviations, E = M + σ·e where e is the mean of a variable with
//! distribution function F(x) = Π Φ(x + dᵢ), dᵢ = (M − hᵢ)/σ ≥ 0. A mean is the top of the grid
//! minus the area under F below it, and the midpoint sum of that area converges exponentially,
//! because F is smooth and flat at both ends: some dozens of nodes give nine digits (the
//! discontinuity one might expect at the top cancels by symmetry). Each leaf costs one vectorised
//! row of [`super::grid::Grid`]; leaves far below the best touch few nodes or none, with the error bound
//! stated there. All in all the error stays below 1e-8·σ up to a hundred leaves.
//!
//! Finished games among the leaves are *certain* values: E[max(c, Y)] = c + ∫_c^∞ (1 − F), by
//! Gauss–Legendre panels, since the corner at c spoils the midpoint rule.

use std::sync::LazyLock;

use super::deviation::Deviation;
use super::grid::{COARSE, FINE, Grid, HIGH, LOW};
use crate::statistics::normal;

/// Error bound of [`expected_max`] in deviations, for cuts that must not depend on rounding.
pub const ERROR: f64 = 1e-7;

/// Most leaves for which the coarse grid is exact enough.
const COARSE_LEAVES: usize = 5;

/// The mean of the greatest of independent normals with these means and one deviation; −∞ for no
/// leaves at all. Never below the greatest mean; NaN-free for finite means.
pub fn expected_max(sigma: Deviation, leaves: &[f64]) -> f64 {
    let best = greatest(leaves);
    let sigma = sigma.get();
    if sigma == 0.0 || leaves.len() < 2 {
        return best;
    }
    let gain = if leaves.len() <= COARSE_LEAVES {
        mean(&COARSE, best, sigma, leaves)
    } else {
        mean(&FINE, best, sigma, leaves)
    };
    best + sigma * gain.max(0.0)
}

/// The mean of the least: the mirror image of [`expected_max`]; +∞ for no leaves at all.
pub fn expected_min(sigma: Deviation, leaves: &[f64]) -> f64 {
    let mirrored: Vec<f64> = leaves.iter().map(|leaf| -leaf).collect();
    -expected_max(sigma, &mirrored)
}

/// E[max(certain, X₁…X_k)]: as [`expected_max`] with one more leaf whose value is certain.
pub fn expected_max_with_certain(sigma: Deviation, leaves: &[f64], certain: f64) -> f64 {
    let best = greatest(leaves);
    let sigma = sigma.get();
    if sigma == 0.0 || leaves.is_empty() {
        return best.max(certain);
    }
    let corner = (certain - best) / sigma;
    if corner <= LOW {
        return expected_max(Deviation::clamped(sigma), leaves).max(certain);
    }
    let mut area = 0.0;
    if corner < HIGH {
        let panels = ((HIGH - corner) / PANEL).ceil().max(1.0);
        let half = (HIGH - corner) / panels / 2.0;
        for panel in 0..panels as usize {
            let middle = corner + half * (2 * panel + 1) as f64;
            for (node, weight) in LEGENDRE_5 {
                for x in [middle - half * node, middle + half * node] {
                    area += half * weight * (1.0 - joint_distribution(x, best, sigma, leaves));
                }
            }
        }
    }
    (certain + sigma * area).max(best).max(certain)
}

/// m_k: the mean of the greatest of k standard normals; grows with k. Counts above 64 get the
/// crude but safe √(2 ln k).
pub fn standard_expected_max(leaves: usize) -> f64 {
    static TABLE: LazyLock<Vec<f64>> = LazyLock::new(|| {
        let zeros = [0.0; 64];
        (0..=64)
            .map(|k| if k == 0 { 0.0 } else { expected_max(Deviation::ONE, &zeros[..k]) })
            .collect()
    });
    TABLE.get(leaves).copied().unwrap_or_else(|| (2.0 * (leaves as f64).ln()).sqrt())
}

/// The closed form for two leaves: l·Φ(z) + m·Φ(−z) + θ·φ(z) with θ = √2·σ, z = (l − m)/θ.
pub fn expected_max_of_two(sigma: Deviation, first: f64, second: f64) -> f64 {
    let theta = std::f64::consts::SQRT_2 * sigma.get();
    if theta == 0.0 {
        return first.max(second);
    }
    // Written around the greater leaf, so that far-apart leaves lose no digits.
    let z = -(first - second).abs() / theta;
    let gain = theta * (z * normal::distribution(z) + normal::density(z));
    first.max(second) + if gain.is_nan() { 0.0 } else { gain }
}

fn greatest(leaves: &[f64]) -> f64 {
    leaves.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn mean<const NODES: usize>(grid: &Grid<NODES>, best: f64, sigma: f64, leaves: &[f64]) -> f64 {
    let mut product = grid.distribution();
    let mut best_is_in = false;
    for &leaf in leaves {
        if leaf == best && !best_is_in {
            best_is_in = true;
        } else {
            grid.multiply(&mut product, (best - leaf) / sigma);
        }
    }
    HIGH - Grid::<NODES>::STEP * product.iter().sum::<f64>()
}

fn joint_distribution(x: f64, best: f64, sigma: f64, leaves: &[f64]) -> f64 {
    leaves.iter().map(|&leaf| normal::distribution(x + (best - leaf) / sigma)).product()
}

/// Widest Gauss–Legendre panel, in deviations.
const PANEL: f64 = 1.5;

/// Nodes and weights of the ten-point Gauss–Legendre rule on −1…1, positive half.
const LEGENDRE_5: [(f64, f64); 5] = [
    (0.148_874_338_981_631_2, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, seeded};
    use proptest::prelude::*;
    use rand::Rng;

    /// The definition by brute force: a thousand plain midpoint cells per deviation around every
    /// leaf, with the library's error function.
    fn brute_force(sigma: f64, leaves: &[f64], certain: f64) -> f64 {
        let best = greatest(leaves).max(certain);
        let (low, high, cells) = (best - 9.0 * sigma, best + 9.0 * sigma, 9_000);
        let step = (high - low) / f64::from(cells);
        let below: f64 = (0..cells)
            .map(|cell| low + (f64::from(cell) + 0.5) * step)
            .filter(|&x| x > certain)
            .map(|x| leaves.iter().map(|h| normal::distribution((x - h) / sigma)).product::<f64>())
            .sum();
        high - step * below
    }

    fn random_leaves(rng: &mut Random) -> (f64, Vec<f64>) {
        let count = rng.random_range(1..=64);
        let spread = 10f64.powf(rng.random_range(-1.0..1.7));
        let whole = rng.random();
        let leaves = (0..count).map(|_| rng.random_range(-spread..spread));
        let leaves = leaves.map(|h| if whole { f64::round(h) } else { h }).collect();
        (10f64.powf(rng.random_range(-1.0..1.3)), leaves)
    }

    fn dev(sigma: f64) -> Deviation {
        Deviation::new(sigma).unwrap()
    }

    #[test]
    fn worked_values_of_the_papers() {
        // Nine decimals, computed once with independent quadrature.
        let cases: [(&[f64], f64, f64, f64); 8] = [
            (&[3.0, 4.0], 8.0, 8.031136123, -1.031136123),
            (&[3.0, 4.0], 8f64.sqrt(), 5.145378793, 1.854621207),
            (&[20.0, 20.0], 8.0, 24.513516668, 15.486483332),
            (&[20.0; 3], 8.0, 26.770275003, 13.229724997),
            (&[0.0; 4], 1.0, 1.029375373, -1.029375373),
            (&[0.0; 8], 1.0, 1.423600306, -1.423600306),
            (&[0.0; 100], 1.0, 2.507593636, -2.507593636),
            (&[10.0, 21.0, 29.0, 32.0], 8.0, 35.590275180, 8.836437509),
        ];
        for (leaves, sigma, max, min) in cases {
            let close =
                |a: f64, b: f64| assert!((a - b).abs() < 2e-8 * sigma, "{leaves:?} {a} {b}");
            close(expected_max(dev(sigma), leaves), max);
            close(expected_min(dev(sigma), leaves), min);
        }
        assert_eq!(expected_max(dev(3.0), &[7.0]), 7.0);
    }

    #[test]
    fn exact_values_agree_with_brute_force_on_random_leaves() {
        let mut rng = seeded(1);
        for _ in 0..60 {
            let (sigma, leaves) = random_leaves(&mut rng);
            let difference =
                expected_max(dev(sigma), &leaves) - brute_force(sigma, &leaves, f64::NEG_INFINITY);
            assert!(difference.abs() < 1e-8 * sigma, "{difference} at {sigma} {leaves:?}");
        }
    }

    #[test]
    fn the_worst_case_of_equal_leaves_is_exact_for_every_count() {
        for count in 1..=100 {
            let leaves = vec![0.0; count];
            let difference =
                expected_max(Deviation::ONE, &leaves) - brute_force(1.0, &leaves, -100.0);
            assert!(difference.abs() < 1e-8, "{difference} for {count}");
        }
    }

    #[test]
    fn a_certain_leaf_is_exact_too() {
        let mut rng = seeded(2);
        for _ in 0..40 {
            let (sigma, leaves) = random_leaves(&mut rng);
            let certain = greatest(&leaves) + sigma * rng.random_range(-7.0..7.0);
            let value = expected_max_with_certain(dev(sigma), &leaves, certain);
            // The brute force treats the corner only to the square of its cell width.
            let difference = value - brute_force(sigma, &leaves, certain);
            assert!(difference.abs() < 2e-3 * sigma, "{difference} at {sigma} {leaves:?}");
            // The limit of a leaf whose deviation vanishes is itself a check of high precision:
            // a certain leaf far below changes nothing, one far above is the answer.
            let far = 30.0 * sigma;
            let (below, above) = (greatest(&leaves) - far, greatest(&leaves) + far);
            let plain = expected_max(dev(sigma), &leaves);
            assert_eq!(expected_max_with_certain(dev(sigma), &leaves, below), plain);
            assert_eq!(expected_max_with_certain(dev(sigma), &leaves, above), above);
        }
        // E[max(0, Z)] = φ(0), and E[max(c, Z)] = cΦ(c) + φ(c).
        for step in -50..=50 {
            let c = f64::from(step) * 0.1;
            let closed = c * normal::distribution(c) + normal::density(c);
            let value = expected_max_with_certain(Deviation::ONE, &[0.0], c);
            assert!((value - closed).abs() < 1e-8, "{c}: {value} {closed}");
        }
    }

    #[test]
    fn the_closed_form_for_two_leaves_agrees() {
        let mut rng = seeded(3);
        for _ in 0..2_000 {
            let (a, b) = (rng.random_range(-64.0..64.0), rng.random_range(-64.0..64.0));
            let sigma = dev(rng.random_range(0.0..20.0));
            let difference = expected_max(sigma, &[a, b]) - expected_max_of_two(sigma, a, b);
            assert!(difference.abs() < 1e-8 * (1.0 + sigma.get()), "{a} {b} {sigma}");
        }
    }

    #[test]
    fn no_finite_input_gives_not_a_number() {
        let extremes = [0.0, -0.0, 1.0, -64.0, 5e-324, 1e-300, 1e300, -1e300, f64::MAX, f64::MIN];
        for a in extremes {
            for b in extremes {
                for sigma in [0.0, 5e-324, 1e-300, 1.0, 1e300, f64::MAX] {
                    for value in [
                        expected_max(dev(sigma), &[a, b, a]),
                        expected_min(dev(sigma), &[a, b, b, 1.0, 2.0, 3.0]),
                        expected_max_of_two(dev(sigma), a, b),
                        expected_max_with_certain(dev(sigma), &[a, b], 1.0),
                        expected_max_with_certain(dev(sigma), &[1.0, b], a),
                    ] {
                        assert!(!value.is_nan(), "{a} {b} {sigma}");
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_papers_inequalities_hold(seed in any::<u64>()) {
            let (sigma, leaves) = random_leaves(&mut seeded(seed));
            let sigma = dev(sigma);
            let whole = expected_max(sigma, &leaves);
            let slack = ERROR * sigma.get();
            prop_assert!(whole >= greatest(&leaves));
            prop_assert!(expected_min(sigma, &leaves) <= -greatest(&leaves.iter().map(|h| -h).collect::<Vec<_>>()));
            // More leaves only raise it: the partial value is a lower bound.
            for count in 1..leaves.len() {
                prop_assert!(expected_max(sigma, &leaves[..count]) <= whole + slack);
            }
            // Equal leaves are the best case: the upper bound of the leaf-parent cut.
            let bound = greatest(&leaves) + sigma.get() * standard_expected_max(leaves.len());
            prop_assert!(whole <= bound + slack);
            // It grows as another leaf approaches the best one.
            let mut closer = leaves.clone();
            closer[0] += (greatest(&leaves) - closer[0]) / 2.0;
            prop_assert!(expected_max(sigma, &closer) >= whole - slack);
            prop_assert_eq!(expected_max(Deviation::ZERO, &leaves), greatest(&leaves));
        }
    }
}
