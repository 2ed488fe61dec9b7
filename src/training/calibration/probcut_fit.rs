//! Fits ProbCut's noise model to our own search.
//!
//! Data: positions of many stages, each searched without pruning to every depth up to a limit (and
//! some solved). The deviation between the results of a shallow and a deep search is taken for every
//! (empties, deep, shallow) cell, and the logarithm of it regressed on the cell
//! (see [`crate::search::minimax::probcut::sigma`]).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::search::minimax::probcut::SigmaModel;

/// Scores in discs of one position at several depths; index 0 is the static evaluation.
pub struct Sample {
    /// Empty squares.
    pub empties: u32,
    /// Score by depth; missing depths are `None`.
    pub by_depth: Vec<Option<f64>>,
    /// The exact score, if the position was solved.
    pub exact: Option<f64>,
}

/// A fitted model and what it was fitted to.
#[derive(Debug)]
pub struct Fit {
    /// The coefficients.
    pub model: SigmaModel,
    /// Pairs of searches used.
    pub pairs: usize,
    /// Root mean square error of the logarithm of the deviation over the cells.
    pub log_error: f64,
    /// In the order of empties and depths.
    pub cells: Vec<FittedCell>,
}

/// What was seen of searches of two depths at one stage; in discs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FittedCell {
    /// Least number of empty squares.
    pub empties: u32,
    /// Deep search, plies; when solving, the same as `empties`.
    pub deep: u32,
    /// Shallow search, plies.
    pub shallow: u32,
    /// Pairs of searches.
    pub pairs: usize,
    /// Deviation of deep less shallow score.
    pub deviation: f64,
    /// Mean of the same.
    pub mean: f64,
}

/// Width of a cell in empties.
const EMPTIES_STEP: u32 = 4;
/// Positions further from even than this, discs, are left out: there windows are rarely searched.
const LOPSIDED: f64 = 32.0;
/// Cells with fewer pairs are left out.
const MIN_PAIRS: usize = 12;

/// The pairs of one (empties, deep, shallow) cell.
#[derive(Default)]
struct Cell {
    pairs: usize,
    /// Of empties, deep and shallow depth.
    sums: [f64; 3],
    /// Of the absolute differences.
    absolute: f64,
    /// Of the differences.
    difference: f64,
}

impl Cell {
    /// From the mean absolute difference, which a few wild positions pull less than the root mean
    /// square; for normal noise both say the same.
    fn deviation(&self) -> f64 {
        self.absolute / self.pairs as f64 * std::f64::consts::FRAC_PI_2.sqrt()
    }
}

/// Deep and shallow midgame searches of the same parity.
pub fn fit_midgame(samples: &[Sample]) -> Option<Fit> {
    fit(samples.iter().flat_map(|sample| {
        let scores = &sample.by_depth;
        (3..scores.len()).flat_map(move |deep| {
            (0..deep).filter(move |shallow| *shallow == 0 || shallow % 2 == deep % 2).filter_map(
                move |shallow| {
                    let (deeper, shallower) = (scores[deep]?, scores[shallow]?);
                    let difference = difference_if_even(deeper, shallower)?;
                    Some(((sample.empties, deep as u32, shallow as u32), difference))
                },
            )
        })
    }))
}

/// The exact score against searches of any depth.
pub fn fit_endgame(samples: &[Sample]) -> Option<Fit> {
    fit(samples.iter().flat_map(|sample| {
        sample.by_depth.iter().enumerate().filter_map(move |(shallow, score)| {
            let difference = difference_if_even(sample.exact?, (*score)?)?;
            Some(((sample.empties, sample.empties, shallow as u32), difference))
        })
    }))
}

fn difference_if_even(deep: f64, shallow: f64) -> Option<f64> {
    (deep.abs() <= LOPSIDED).then_some(deep - shallow)
}

fn fit(pairs: impl Iterator<Item = ((u32, u32, u32), f64)>) -> Option<Fit> {
    let mut cells: BTreeMap<(u32, u32, u32), Cell> = BTreeMap::new();
    let mut total = 0;
    for ((empties, deep, shallow), difference) in pairs {
        // When solving, depth and empties go together: the cell takes both from one bucket.
        let bucket = empties / EMPTIES_STEP * EMPTIES_STEP;
        let deep_key = if deep == empties { bucket } else { deep };
        let cell = cells.entry((bucket, deep_key, shallow)).or_default();
        cell.pairs += 1;
        for (sum, value) in cell.sums.iter_mut().zip([empties, deep, shallow]) {
            *sum += f64::from(value);
        }
        cell.absolute += difference.abs();
        cell.difference += difference;
        total += 1;
    }
    cells.retain(|_, cell| cell.pairs >= MIN_PAIRS && cell.absolute > 0.0);
    let rows: Vec<([f64; 5], f64, f64)> = cells
        .values()
        .map(|cell| {
            let n = cell.pairs as f64;
            let [empties, deep, shallow] = cell.sums.map(|sum| sum / n);
            let features = [1.0, empties, deep, shallow, empties * empties / 100.0];
            (features, cell.deviation().ln(), n)
        })
        .collect();
    let model = least_squares(&rows)?;
    let error = |row: &([f64; 5], f64, f64)| {
        let predicted: f64 = row.0.iter().zip(&model).map(|(x, c)| x * c).sum();
        row.2 * (predicted - row.1).powi(2)
    };
    let weight: f64 = rows.iter().map(|row| row.2).sum();
    Some(Fit {
        model: model.map(|c| c as f32),
        pairs: total,
        log_error: (rows.iter().map(error).sum::<f64>() / weight).sqrt(),
        cells: cells
            .iter()
            .map(|(&(empties, deep, shallow), cell)| FittedCell {
                empties,
                deep,
                shallow,
                pairs: cell.pairs,
                deviation: cell.deviation(),
                mean: cell.difference / cell.pairs as f64,
            })
            .collect(),
    })
}

/// Weighted least squares by the normal equations, lightly damped so that features that never
/// vary (depth equals empties when solving) get an even share instead of blowing up.
fn least_squares(rows: &[([f64; 5], f64, f64)]) -> Option<[f64; 5]> {
    if rows.len() < 5 {
        return None;
    }
    let mut matrix = [[0.0; 6]; 5];
    for (features, target, weight) in rows {
        for i in 0..5 {
            for j in 0..5 {
                matrix[i][j] += weight * features[i] * features[j];
            }
            matrix[i][5] += weight * features[i] * target;
        }
    }
    for (i, row) in matrix.iter_mut().enumerate() {
        row[i] += 1e-6 * row[i] + 1e-9;
    }
    solve(matrix)
}

/// Gauss–Jordan elimination with pivoting.
fn solve(mut matrix: [[f64; 6]; 5]) -> Option<[f64; 5]> {
    for column in 0..5 {
        let pivot = (column..5)
            .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        if matrix[pivot][column].abs() < 1e-12 {
            return None;
        }
        matrix.swap(column, pivot);
        let lead = matrix[column];
        for (i, row) in matrix.iter_mut().enumerate() {
            if i == column {
                continue;
            }
            let factor = row[column] / lead[column];
            for (cell, above) in row.iter_mut().zip(&lead) {
                *cell -= factor * above;
            }
        }
    }
    Some(std::array::from_fn(|i| matrix[i][5] / matrix[i][i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::seeded;
    use crate::search::minimax::probcut::sigma;
    use rand::Rng;
    use rand_distr::StandardNormal;

    #[test]
    fn a_known_noise_model_is_found_again() {
        let truth: SigmaModel = [1.0, 0.01, 0.04, -0.08, -0.01];
        let mut rng = seeded(77);
        let samples: Vec<Sample> = (0..3_000)
            .map(|_| {
                let empties = rng.random_range(20..50);
                // Independent noise per depth cannot follow the model for every pair at once; one
                // deep and one shallow depth per sample can.
                let deep = rng.random_range(5..=9);
                let shallow = deep - 2 * rng.random_range(1..=(deep - 1) / 2);
                let mut by_depth = vec![None; deep + 1];
                let noise: f64 = rng.sample(StandardNormal);
                let deviation = sigma(&truth, empties, deep as u32, shallow as u32);
                by_depth[shallow] = Some(0.0);
                by_depth[deep] = Some(noise * f64::from(deviation));
                Sample { empties, by_depth, exact: None }
            })
            .collect();
        let fit = fit_midgame(&samples).unwrap();
        for (empties, deep, shallow) in [(24, 8, 4), (36, 9, 3), (44, 6, 2)] {
            let ratio =
                sigma(&fit.model, empties, deep, shallow) / sigma(&truth, empties, deep, shallow);
            assert!((0.85..1.18).contains(&ratio), "{ratio} at {empties} {deep} {shallow}");
        }
    }

    #[test]
    fn too_little_data_gives_no_model() {
        assert!(fit_midgame(&[]).is_none());
    }
}
