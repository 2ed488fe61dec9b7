//! Patterns on the board: shapes, their placements, and base-3 indices kept up to date move by move.
//!
//! A [`Shape`] is a list of squares; turned and mirrored it has up to eight placements that share
//! one table. The content of a placement is a base-3 number with digit 0 for the mover's disc, 1
//! for an empty square and 2 for the opponent's, so that handing the turn over is
//! `size − 1 − index`, and a move changes an index by fixed amounts per square. All indices of a
//! position are one [`Indices`] block of 48 sixteen-bit lanes: updating it is a few vector
//! subtractions, which the compiler makes from the plain loops below.

use std::collections::BTreeSet;

use crate::othello::{Position, Square, Symmetry};

/// Most placements a [`Geometry`] can have: the lanes of an [`Indices`] block.
pub const LANES: usize = 48;

/// Most squares in a shape: 3^10 is the last power of three that fits 16 bits.
pub const MAX_SQUARES: usize = 10;

/// A set of squares whose content is looked up as one number.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Short name for reports.
    pub name: &'static str,
    /// The squares of each placement, most significant digit first.
    pub placements: Vec<Vec<Square>>,
    /// How the digits move under the symmetries that leave the shape in place, identity first:
    /// digit `i` of the image is digit `p[i]` of the original.
    pub automorphisms: Vec<Vec<usize>>,
}

impl Shape {
    /// The shape of one placement written as squares, most significant first: `"b7 b2 a8 …"`.
    ///
    /// # Panics
    /// If the text is no list of 1 to 10 squares: shapes are written in the program.
    pub fn new(name: &'static str, squares: &str) -> Shape {
        let base: Vec<Square> = squares
            .split_whitespace()
            .map(|square| square.parse().expect("shapes are written with valid squares"))
            .collect();
        assert!((1..=MAX_SQUARES).contains(&base.len()), "{name}: 1 to 10 squares");
        let mut placements: Vec<Vec<Square>> = Vec::new();
        let mut automorphisms: Vec<Vec<usize>> = Vec::new();
        let as_set = |list: &[Square]| list.iter().copied().collect::<BTreeSet<_>>();
        for symmetry in Symmetry::all() {
            let image: Vec<Square> = base.iter().map(|&s| symmetry.apply_square(s)).collect();
            if as_set(&image) == as_set(&base) {
                let moved = image
                    .iter()
                    .map(|square| base.iter().position(|s| s == square).unwrap_or_default())
                    .collect();
                if !automorphisms.contains(&moved) {
                    automorphisms.push(moved);
                }
            }
            if !placements.iter().any(|known| as_set(known) == as_set(&image)) {
                placements.push(image);
            }
        }
        Shape { name, placements, automorphisms }
    }

    /// How many squares.
    pub fn squares(&self) -> usize {
        self.placements[0].len()
    }

    /// How many contents: 3 to the number of squares.
    pub fn size(&self) -> usize {
        3usize.pow(self.squares() as u32)
    }

    /// For each index the least of the indices that are the same content seen through the shape's
    /// own symmetries; tables hold one weight for all of them.
    pub fn canonical(&self) -> Vec<u32> {
        let mut least: Vec<u32> = (0..self.size() as u32).collect();
        for moved in self.automorphisms.iter().skip(1) {
            // Built digit by digit: what each digit adds to the index of the image.
            let mut images = vec![0u32];
            for place in 0..moved.len() {
                let place_in_image = moved.iter().position(|&from| from == place).unwrap_or(place);
                let power = 3u32.pow((moved.len() - 1 - place_in_image) as u32);
                images =
                    images.iter().flat_map(|&value| [0, 1, 2].map(|d| value + d * power)).collect();
            }
            for (value, image) in least.iter_mut().zip(images) {
                *value = (*value).min(image);
            }
        }
        least
    }

    /// For each index the number of its canonical form, counted in increasing order, and how many
    /// canonical forms there are.
    pub fn packing(&self) -> (Vec<u32>, usize) {
        let mut packed = self.canonical();
        let mut count = 0;
        for index in 0..packed.len() {
            let canonical = packed[index] as usize;
            packed[index] = if canonical == index { count } else { packed[canonical] };
            count += u32::from(canonical == index);
        }
        (packed, count as usize)
    }
}

/// The indices of every placement of a geometry for one position, seen by its mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Indices(pub(crate) [u16; LANES]);

/// A list of shapes with everything needed to keep their indices.
pub struct Geometry {
    shapes: Vec<Shape>,
    /// Placements in use; the other lanes stay 0.
    lanes: usize,
    /// Which shape a lane belongs to.
    shape_of_lane: [u8; LANES],
    /// Where the table of a lane's shape begins.
    offset_of_lane: [u32; LANES],
    /// Entries of all tables together.
    table_size: usize,
    /// `weight[square]`: what one step of that square's digit adds to each lane.
    weight: Box<[Indices; 64]>,
    /// Each lane's greatest index.
    greatest: Indices,
    /// Each lane's index on the empty board.
    empty: Indices,
}

impl Geometry {
    /// The geometry of these shapes.
    ///
    /// # Panics
    /// If they have more than [`LANES`] placements together.
    pub fn new(shapes: Vec<Shape>) -> Geometry {
        let mut geometry = Geometry {
            lanes: 0,
            shape_of_lane: [0; LANES],
            offset_of_lane: [0; LANES],
            table_size: 0,
            weight: Box::new([Indices([0; LANES]); 64]),
            greatest: Indices([0; LANES]),
            empty: Indices([0; LANES]),
            shapes,
        };
        for (number, shape) in geometry.shapes.iter().enumerate() {
            for placement in &shape.placements {
                let lane = geometry.lanes;
                assert!(lane < LANES, "at most {LANES} placements");
                geometry.shape_of_lane[lane] = number as u8;
                geometry.offset_of_lane[lane] = geometry.table_size as u32;
                geometry.greatest.0[lane] = (shape.size() - 1) as u16;
                let mut power = 1;
                for square in placement.iter().rev() {
                    geometry.weight[square.index()].0[lane] = power;
                    geometry.empty.0[lane] += power;
                    power = power.wrapping_mul(3);
                }
                geometry.lanes += 1;
            }
            geometry.table_size += shape.size();
        }
        geometry
    }

    /// The shapes, in table order.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// How many placements there are.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// The number of the shape that a lane belongs to.
    pub fn shape_of_lane(&self, lane: usize) -> usize {
        self.shape_of_lane[lane] as usize
    }

    /// Where each lane's table begins when the tables of all shapes stand one after the other.
    #[inline]
    pub fn offsets(&self) -> &[u32; LANES] {
        &self.offset_of_lane
    }

    /// Entries of all tables together.
    pub fn table_size(&self) -> usize {
        self.table_size
    }

    /// The indices of a position.
    pub fn indices(&self, position: Position) -> Indices {
        let mut lanes = self.empty.0;
        for square in position.mover() {
            subtract(&mut lanes, &self.weight[square.index()], 1);
        }
        for square in position.opponent() {
            add(&mut lanes, &self.weight[square.index()]);
        }
        Indices(lanes)
    }

    /// The indices after a disc on `square` that flips `flips`, for the new mover.
    #[inline]
    pub fn child(&self, before: &Indices, square: Square, mut flips: u64) -> Indices {
        let mut lanes = before.0;
        subtract(&mut lanes, &self.weight[square.index()], 1);
        while flips != 0 {
            subtract(&mut lanes, &self.weight[flips.trailing_zeros() as usize], 2);
            flips &= flips - 1;
        }
        self.passed(&Indices(lanes))
    }

    /// The indices with the turn handed over.
    #[inline]
    pub fn passed(&self, before: &Indices) -> Indices {
        let mut lanes = self.greatest.0;
        subtract(&mut lanes, before, 1);
        Indices(lanes)
    }
}

#[inline]
fn add(lanes: &mut [u16; LANES], by: &Indices) {
    for (lane, by) in lanes.iter_mut().zip(by.0) {
        *lane = lane.wrapping_add(by);
    }
}

#[inline]
fn subtract(lanes: &mut [u16; LANES], by: &Indices, times: u16) {
    for (lane, by) in lanes.iter_mut().zip(by.0) {
        *lane = lane.wrapping_sub(by.wrapping_mul(times));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Move;
    use crate::othello::random::{random_move, seeded};

    fn sample() -> Geometry {
        Geometry::new(vec![
            Shape::new("edge", "b7 b2 a8 a7 a6 a5 a4 a3 a2 a1"),
            Shape::new("corner", "c3 b3 a3 c2 b2 a2 c1 b1 a1"),
            Shape::new("block", "e2 d2 c2 b2 a2 e1 d1 c1 b1 a1"),
            Shape::new("diagonal", "h8 g7 f6 e5 d4 c3 b2 a1"),
        ])
    }

    /// The definition, digit by digit.
    fn slow_indices(geometry: &Geometry, position: Position) -> Vec<usize> {
        let digit = |square| {
            if position.mover().contains(square) {
                0
            } else if position.opponent().contains(square) {
                2
            } else {
                1
            }
        };
        geometry
            .shapes()
            .iter()
            .flat_map(|shape| &shape.placements)
            .map(|placement| placement.iter().fold(0, |value, &s| value * 3 + digit(s)))
            .collect()
    }

    #[test]
    fn shapes_have_the_placements_and_symmetries_one_sees() {
        let counts: Vec<_> = sample()
            .shapes()
            .iter()
            .map(|shape| (shape.placements.len(), shape.automorphisms.len(), shape.packing().1))
            .collect();
        assert_eq!(counts, [(4, 2, 29_646), (4, 2, 10_206), (8, 1, 59_049), (2, 2, 3_321)]);
    }

    /// The least image of an index by moving its digits one by one.
    fn slow_canonical(shape: &Shape, index: usize) -> usize {
        let count = shape.squares();
        let digit = |place: usize| index / 3usize.pow((count - 1 - place) as u32) % 3;
        let images = shape
            .automorphisms
            .iter()
            .map(|moved| moved.iter().fold(0, |value, &from| value * 3 + digit(from)));
        images.min().unwrap()
    }

    #[test]
    fn packing_numbers_each_canonical_content_once_in_order() {
        for shape in sample().shapes() {
            let (packed, count) = shape.packing();
            let mut next = 0;
            for index in 0..shape.size() {
                let canonical = slow_canonical(shape, index);
                if canonical == index {
                    assert_eq!(packed[index], next);
                    next += 1;
                } else {
                    assert_eq!(packed[index], packed[canonical]);
                }
            }
            assert_eq!(next as usize, count);
        }
    }

    #[test]
    fn updating_along_random_games_equals_counting_afresh() {
        let geometry = sample();
        let mut rng = seeded(21);
        for _ in 0..30 {
            let mut position = Position::START;
            let mut kept = geometry.indices(position);
            while let Some(chosen) = random_move(position, &mut rng) {
                kept = match chosen {
                    Move::Place(square) => geometry.child(&kept, square, position.flips(square).0),
                    Move::Pass => geometry.passed(&kept),
                };
                position = position.after_unchecked(chosen);
                assert_eq!(kept, geometry.indices(position));
                let slow = slow_indices(&geometry, position);
                for (lane, index) in slow.into_iter().enumerate() {
                    assert_eq!(usize::from(kept.0[lane]), index);
                }
            }
        }
    }
}
