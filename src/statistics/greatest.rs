//! Which of several uncertain numbers is the greatest.

use super::normal;

/// Steps of the integral over one number's distribution.
const STEPS: u32 = 800;
/// Deviations on either side of the mean over which it goes.
const REACH: f64 = 8.0;

/// For each of these independent normals, given by mean and deviation, the probability that it is the
/// greatest. A deviation of 0 is a certain number; among equal certain ones the first counts.
pub fn probabilities_of_being_greatest(numbers: &[(f64, f64)]) -> Vec<f64> {
    let certain = numbers.iter().enumerate().filter(|(_, (_, deviation))| *deviation <= 0.0);
    let certain = certain.reduce(|best, next| if next.1.0 > best.1.0 { next } else { best });
    let floor = certain.map_or(f64::NEG_INFINITY, |(_, (mean, _))| *mean);
    let below = |x: f64, without: usize| -> f64 {
        let others = numbers.iter().enumerate().filter(|(index, _)| *index != without);
        let uncertain = others.filter(|(_, (_, deviation))| *deviation > 0.0);
        uncertain
            .map(|(_, (mean, deviation))| normal::distribution((x - mean) / deviation))
            .product()
    };
    numbers
        .iter()
        .enumerate()
        .map(|(index, &(mean, deviation))| {
            if deviation <= 0.0 {
                let first = certain.is_some_and(|(best, _)| best == index);
                return if first { below(floor, index) } else { 0.0 };
            }
            let low = ((floor - mean) / deviation).clamp(-REACH, REACH);
            let step = (REACH - low) / f64::from(STEPS);
            let middles = (0..STEPS).map(|number| low + (f64::from(number) + 0.5) * step);
            let terms = middles.map(|x| normal::density(x) * below(mean + x * deviation, index));
            terms.sum::<f64>() * step
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::seeded;
    use rand::Rng;
    use rand_distr::{Distribution, Normal};

    #[test]
    fn probabilities_are_the_shares_of_drawn_numbers() {
        let mut rng = seeded(19);
        for round in 0..12 {
            let count = rng.random_range(1..=6);
            let numbers: Vec<(f64, f64)> = (0..count)
                .map(|index| {
                    let certain = round % 3 == 0 && index % 2 == 0;
                    let deviation = if certain { 0.0 } else { rng.random_range(0.2..4.0) };
                    (rng.random_range(-3.0..3.0), deviation)
                })
                .collect();
            let found = probabilities_of_being_greatest(&numbers);
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-3, "{numbers:?} {found:?}");
            let draws = 20_000;
            let mut wins = vec![0; count];
            for _ in 0..draws {
                let drawn = numbers.iter().map(|&(mean, deviation)| {
                    Normal::new(mean, deviation).unwrap().sample(&mut rng)
                });
                let best = drawn.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
                wins[best] += 1;
            }
            for (probability, wins) in found.iter().zip(wins) {
                let share = f64::from(wins) / f64::from(draws);
                assert!((probability - share).abs() < 0.018, "{numbers:?}: {probability} {share}");
            }
        }
    }

    #[test]
    fn of_two_the_greater_mean_is_likelier_and_certain_numbers_leave_no_doubt() {
        let found = probabilities_of_being_greatest(&[(1.0, 3.0), (0.5, 0.1)]);
        assert!(found[0] > 0.5 && found[1] < 0.5, "{found:?}");
        assert_eq!(probabilities_of_being_greatest(&[(2.0, 0.0), (4.0, 0.0)]), [0.0, 1.0]);
        assert_eq!(probabilities_of_being_greatest(&[(4.0, 0.0), (4.0, 0.0)]), [1.0, 0.0]);
        assert!(probabilities_of_being_greatest(&[]).is_empty());
    }
}
