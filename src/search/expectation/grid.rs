//! Rows of Φ on an even grid, ready to multiply.
//!
//! [`super::exact`] needs Φ(x + d) for every node x of an even grid and many offsets d. A [`Grid`]
//! holds Φ and φ on the nodes for 1/32-spaced offsets; any other offset is a fourth-order Taylor
//! step away (error below 1e-11), and a whole row is a few multiplications per node that the
//! compiler turns into vector code. An offset of a whole grid step just shifts the row.

use std::sync::LazyLock;

use crate::statistics::normal::{density, distribution};

/// Lowest and highest end of the grids, in deviations. Outside, Φ is taken as 0 or 1: below, the
/// neglected ∫Φ is 8e-10; above, the neglected ∫(1 − Φ) is 4e-11 for each leaf.
pub const LOW: f64 = -5.75;
/// See [`LOW`].
pub const HIGH: f64 = 6.25;

/// Tabulated offsets per deviation.
const OFFSETS_PER_UNIT: usize = 32;

/// Φ and φ on `NODES` even nodes from [`LOW`] to [`HIGH`] (at the middles of the grid's cells),
/// for offsets up to one cell.
pub struct Grid<const NODES: usize> {
    rows: Vec<Row<NODES>>,
}

struct Row<const NODES: usize> {
    place: [f64; NODES],
    distribution: [f64; NODES],
    density: [f64; NODES],
}

/// Cells of half a deviation: trapezoid error below 1e-10 for up to five leaves.
pub static COARSE: LazyLock<Grid<24>> = LazyLock::new(Grid::new);
/// Cells of a quarter deviation: trapezoid error below 1e-9 for up to a hundred leaves.
pub static FINE: LazyLock<Grid<48>> = LazyLock::new(Grid::new);

impl<const NODES: usize> Grid<NODES> {
    /// Width of a cell in deviations.
    pub const STEP: f64 = (HIGH - LOW) / NODES as f64;
    const OFFSETS_PER_CELL: usize = OFFSETS_PER_UNIT * (HIGH - LOW) as usize / NODES;

    fn new() -> Grid<NODES> {
        let row = |offset: usize| {
            let place = std::array::from_fn(|node| {
                LOW + (node as f64 + 0.5) * Self::STEP + offset as f64 / OFFSETS_PER_UNIT as f64
            });
            Row { place, distribution: place.map(distribution), density: place.map(density) }
        };
        Grid { rows: (0..Self::OFFSETS_PER_CELL).map(row).collect() }
    }

    /// Φ on the nodes.
    pub fn distribution(&self) -> [f64; NODES] {
        self.rows[0].distribution
    }

    /// Multiplies `product` by Φ(x + offset), node by node, for a finite or infinite offset ≥ 0.
    pub fn multiply(&self, product: &mut [f64; NODES], offset: f64) {
        // From here on, infinity included, every factor is 1.
        if offset >= HIGH - LOW {
            return;
        }
        let nearest = (offset * OFFSETS_PER_UNIT as f64).round();
        let rest = offset - nearest / OFFSETS_PER_UNIT as f64;
        let row = &self.rows[nearest as usize % Self::OFFSETS_PER_CELL];
        let shift = nearest as usize / Self::OFFSETS_PER_CELL;
        let nodes = row.place[shift..].iter().zip(&row.distribution[shift..]);
        let nodes = nodes.zip(&row.density[shift..]);
        for (factor, ((&x, &distribution), &density)) in product.iter_mut().zip(nodes) {
            // Φ' = φ, Φ'' = −xφ, Φ''' = (x² − 1)φ, Φ'''' = (3x − x³)φ.
            let square = x * x;
            let fourth = rest * x * (3.0 - square) * (1.0 / 24.0);
            let third = rest * ((square - 1.0) * (1.0 / 6.0) + fourth);
            let second = rest * (third - 0.5 * x);
            *factor *= distribution + density * rest * (1.0 + second);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_row_is_the_distribution_function_at_every_offset() {
        for step in 0..1200 {
            let offset = f64::from(step) * 0.009_73;
            let mut product = [1.0; 48];
            FINE.multiply(&mut product, offset);
            for (node, &value) in product.iter().enumerate() {
                let x = LOW + (node as f64 + 0.5) * Grid::<48>::STEP + offset;
                let expected = if x < HIGH { distribution(x) } else { 1.0 };
                assert!((value - expected).abs() < 1e-9, "Φ({x}) = {expected}, row says {value}");
            }
        }
    }
}
