//! What E(σ²; h₁…h_k) costs: the exact method beside the papers' Monte Carlo with m = 100.

use divan::{Bencher, black_box};
use kitai::random::{Random, seeded};
use kitai::search::expectation::sampled::sampled_max;
use kitai::search::expectation::{Deviation, expected_max};
use rand::Rng;

fn main() {
    divan::main();
}

const COUNTS: [usize; 4] = [2, 5, 10, 20];

/// Values as disc difference gives them near the end: some discs apart, σ about as wide.
fn leaves(count: usize) -> (Deviation, Vec<f64>, Random) {
    let mut rng = seeded(count as u64);
    let leaves = (0..count).map(|_| f64::from(rng.random_range(-12..=12))).collect();
    (Deviation::clamped(8.0), leaves, rng)
}

#[divan::bench(args = COUNTS)]
fn exact(bencher: Bencher, count: usize) {
    let (sigma, leaves, _) = leaves(count);
    bencher.bench_local(|| expected_max(black_box(sigma), black_box(&leaves)));
}

#[divan::bench(args = COUNTS)]
fn monte_carlo_100(bencher: Bencher, count: usize) {
    let (sigma, leaves, mut rng) = leaves(count);
    bencher.bench_local(|| sampled_max(black_box(sigma), black_box(&leaves), 100, &mut rng));
}
