//! The weights file: what `kitai train` writes and the binary embeds.
//!
//! Layout, little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 0–7 | `KITAIPAT` |
//! | 8–11 | format version |
//! | 12–15 | signature of shapes, reach tables, anchors and network (CRC-32 of their names, squares and sizes) |
//! | 16–19 | CRC-32 of everything after byte 19 |
//! | 20–… | blocks, each: length (4 bytes), deflate stream |
//!
//! A block is a list of 16-bit numbers, first the low bytes of all, then the high bytes, which
//! deflate packs far better than pairs. The blocks are, of the rough value in 1/128 disc, one per
//! anchor, the 61 constants and the 61 spreads; of the network, one per hidden unit with that unit's
//! share of every row, then for the 61 plies the weights above zero, the weights below zero and the
//! constants.

use std::io::{Read, Write};

use flate2::Crc;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rayon::prelude::*;
use thiserror::Error;

use super::network::{READ_OUT_MOST, READ_OUT_SHIFT, ReadOut, Row, WIDTH};
use super::{ANCHORS, SHAPES, packings, rough_packings};
use crate::eval::linear::PLIES;
use crate::eval::reach;
use crate::files;

const MAGIC: &[u8; 8] = b"KITAIPAT";
const VERSION: u32 = 4;
const HEADER: usize = 20;

/// Trained weights; those of the rough value in 1/128 disc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// For each anchor one weight per canonical content of each shape, shapes one after the other,
    /// then those of the tables of [`reach`] that the rough value knows.
    pub anchors: Vec<Vec<i16>>,
    /// Added to the rough value at each ply.
    pub constants: [i16; PLIES],
    /// Deviation of the value from the rough value at each ply.
    pub spreads: [i16; PLIES],
    /// One row of the network per canonical content of each shape, then of each table of
    /// [`reach`].
    pub rows: Vec<Row>,
    /// The network's read-out at each ply.
    pub read_outs: [ReadOut; PLIES],
}

/// Bytes that a weights file may have, many times those of the embedded one.
pub(super) const MAX_FILE_BYTES: u64 = 64 << 20;

/// Why a weights file cannot be used.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not a weights file.
    #[error("no Kitai weights: the file does not begin with KITAIPAT")]
    Magic,
    /// Of another version.
    #[error("weights format version {found}, this program reads version {VERSION}")]
    Version {
        /// What the file says.
        found: u32,
    },
    /// Made for other shapes or anchors.
    #[error("weights for other patterns: signature {found:08x}, expected {expected:08x}")]
    Signature {
        /// What the file says.
        found: u32,
        /// What this program's patterns have.
        expected: u32,
    },
    /// Changed after it was written.
    #[error("damaged weights: checksum {found:08x}, expected {expected:08x}")]
    Checksum {
        /// Of the bytes present.
        found: u32,
        /// As written.
        expected: u32,
    },
    /// A block does not unpack to the right size.
    #[error("damaged weights: block {0} is truncated or of the wrong size")]
    Block(usize),
}

/// How many weights an anchor has.
pub fn weights_per_anchor() -> usize {
    rough_packings().iter().map(|(_, count)| count).sum()
}

/// How many rows the network has.
pub fn row_count() -> usize {
    packings().iter().map(|(_, count)| count).sum()
}

/// Distinguishes sets of shapes, reach tables and anchors.
fn signature() -> u32 {
    let mut crc = Crc::new();
    for (name, squares, _) in SHAPES {
        crc.update(format!("{name}:{squares};").as_bytes());
    }
    let network = (WIDTH, READ_OUT_SHIFT);
    crc.update(format!("{ANCHORS:?}{:?}{network:?}", reach::TABLES).as_bytes());
    crc.sum()
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

impl Weights {
    /// All zero: every position is even.
    pub fn zero() -> Weights {
        Weights {
            anchors: vec![vec![0; weights_per_anchor()]; ANCHORS.len()],
            constants: [0; PLIES],
            spreads: [0; PLIES],
            rows: vec![Row([0; WIDTH]); row_count()],
            read_outs: [ReadOut::ZERO; PLIES],
        }
    }

    /// Reads a weights file.
    ///
    /// # Errors
    /// If it cannot be read, is damaged or made for another version.
    pub fn load(file: &std::path::Path) -> Result<Weights, WeightsError> {
        let bytes = files::read(file, MAX_FILE_BYTES).map_err(|error| WeightsError::Io {
            file: file.display().to_string(),
            source: error.into(),
        })?;
        Weights::parse(&bytes)
    }

    /// Reads the bytes of a weights file.
    ///
    /// # Errors
    /// If they are damaged or made for another version.
    pub fn parse(bytes: &[u8]) -> Result<Weights, WeightsError> {
        if !bytes.starts_with(MAGIC) {
            return Err(WeightsError::Magic);
        }
        let word = |at: usize| {
            let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
            word.map(u32::from_le_bytes).ok_or(WeightsError::Block(0))
        };
        match word(8)? {
            VERSION => {}
            found => return Err(WeightsError::Version { found }),
        }
        let (found, expected) = (word(12)?, signature());
        if found != expected {
            return Err(WeightsError::Signature { found, expected });
        }
        let (expected, found) = (word(16)?, checksum(&bytes[HEADER..]));
        if found != expected {
            return Err(WeightsError::Checksum { found, expected });
        }
        let mut rest = &bytes[HEADER..];
        let mut sizes = vec![weights_per_anchor(); ANCHORS.len()];
        sizes.extend([PLIES, PLIES]);
        sizes.extend([row_count(); WIDTH]);
        sizes.extend([PLIES * WIDTH, PLIES * WIDTH, PLIES]);
        let mut packed = Vec::with_capacity(sizes.len());
        for (number, &size) in sizes.iter().enumerate() {
            packed.push((number, size, next_block(&mut rest).ok_or(WeightsError::Block(number))?));
        }
        if !rest.is_empty() {
            return Err(WeightsError::Block(sizes.len() - 1));
        }
        let blocks: Vec<Vec<i16>> = packed
            .into_par_iter()
            .map(|(number, size, block)| unpack(block, size).ok_or(WeightsError::Block(number)))
            .collect::<Result<_, _>>()?;
        Weights::from_blocks(blocks)
    }

    /// The weights of unpacked blocks, which have the right sizes.
    fn from_blocks(mut blocks: Vec<Vec<i16>>) -> Result<Weights, WeightsError> {
        let network = blocks.split_off(ANCHORS.len() + 2);
        let by_ply = blocks.split_off(ANCHORS.len());
        let (units, read_outs) = network.split_at(WIDTH);
        let mut rows = vec![Row([0; WIDTH]); row_count()];
        rows.par_iter_mut().enumerate().for_each(|(number, row)| {
            row.0 = std::array::from_fn(|unit| units[unit][number]);
        });
        let too_large = |weight: &i16| weight.unsigned_abs() > READ_OUT_MOST.unsigned_abs();
        for (number, block) in read_outs[..2].iter().enumerate() {
            if block.iter().any(too_large) {
                return Err(WeightsError::Block(ANCHORS.len() + 2 + WIDTH + number));
            }
        }
        let read_out = |ply: usize| ReadOut {
            above: std::array::from_fn(|unit| read_outs[0][ply * WIDTH + unit]),
            below: std::array::from_fn(|unit| read_outs[1][ply * WIDTH + unit]),
            constant: read_outs[2][ply],
        };
        Ok(Weights {
            anchors: blocks,
            constants: std::array::from_fn(|ply| by_ply[0][ply]),
            spreads: std::array::from_fn(|ply| by_ply[1][ply]),
            rows,
            read_outs: std::array::from_fn(read_out),
        })
    }

    /// The bytes of the weights file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut blocks: Vec<Vec<i16>> = self.anchors.clone();
        blocks.extend([self.constants.to_vec(), self.spreads.to_vec()]);
        blocks.extend((0..WIDTH).map(|unit| self.rows.iter().map(|row| row.0[unit]).collect()));
        blocks.push(self.read_outs.iter().flat_map(|read_out| read_out.above).collect());
        blocks.push(self.read_outs.iter().flat_map(|read_out| read_out.below).collect());
        blocks.push(self.read_outs.iter().map(|read_out| read_out.constant).collect());
        let packed: Vec<Vec<u8>> = blocks.par_iter().map(|block| packed_block(block)).collect();
        let body = packed.concat();
        let mut bytes = MAGIC.to_vec();
        for word in [VERSION, signature(), checksum(&body)] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(body);
        bytes
    }
}

fn packed_block(weights: &[i16]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    let low = weights.iter().map(|weight| weight.to_le_bytes()[0]);
    let high = weights.iter().map(|weight| weight.to_le_bytes()[1]);
    let planes: Vec<u8> = low.chain(high).collect();
    let packed = encoder
        .write_all(&planes)
        .and_then(|()| encoder.finish())
        .expect("writing to memory does not fail");
    let mut block = (packed.len() as u32).to_le_bytes().to_vec();
    block.extend(packed);
    block
}

/// The next block, still packed; `rest` then begins after it.
fn next_block<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (packed, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = after;
    Some(packed)
}

/// The weights of a block, if they are exactly `count`.
fn unpack(packed: &[u8], count: usize) -> Option<Vec<i16>> {
    let mut planes = Vec::with_capacity(2 * count + 1);
    DeflateDecoder::new(packed).take(2 * count as u64 + 1).read_to_end(&mut planes).ok()?;
    if planes.len() != 2 * count {
        return None;
    }
    let (low, high) = planes.split_at(count);
    Some(low.iter().zip(high).map(|(&low, &high)| i16::from_le_bytes([low, high])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Weights {
        let mut weights = Weights::zero();
        for (number, anchor) in weights.anchors.iter_mut().enumerate() {
            for (index, weight) in anchor.iter_mut().enumerate() {
                *weight = ((index * 37 + number) % 700) as i16 - 350;
            }
        }
        weights.constants[7] = -5;
        weights.spreads[8] = 300;
        for (index, row) in weights.rows.iter_mut().enumerate() {
            row.0[index % WIDTH] = (index % 500) as i16 - 250;
        }
        weights.read_outs[20].above[3] = READ_OUT_MOST;
        weights.read_outs[60].below[WIDTH - 1] = -READ_OUT_MOST;
        weights.read_outs[2].constant = -77;
        weights
    }

    #[test]
    fn writing_and_reading_is_the_identity() {
        let weights = sample();
        assert_eq!(Weights::parse(&weights.to_bytes()).unwrap(), weights);
    }

    #[test]
    fn damage_and_foreign_files_are_told_apart() {
        let bytes = sample().to_bytes();
        let error = |bytes: &[u8]| Weights::parse(bytes).unwrap_err().to_string();
        assert!(error(b"PNG").contains("does not begin with KITAIPAT"));
        assert!(error(&bytes[..10]).contains("truncated"));
        assert!(error(&bytes[..bytes.len() - 1]).contains("checksum"));
        let altered = |at: usize| {
            let mut altered = bytes.clone();
            altered[at] ^= 1;
            error(&altered)
        };
        assert!(altered(8).contains("version 5"), "{}", altered(8));
        assert!(altered(12).contains("other patterns"));
        assert!(altered(16).contains("checksum"));
        assert!(altered(bytes.len() / 2).contains("checksum"));
        let mut loud = sample();
        loud.read_outs[30].above[0] = READ_OUT_MOST + 1;
        assert!(error(&loud.to_bytes()).contains("block 31"), "{}", error(&loud.to_bytes()));
        // A file whose checksum is right but whose content is not.
        let mut short = bytes[..HEADER].to_vec();
        short[16..20].copy_from_slice(&checksum(&[]).to_le_bytes());
        assert!(error(&short).contains("block 0"));
        let missing = Weights::load(std::path::Path::new("no/file")).unwrap_err().to_string();
        assert!(missing.contains("no/file"));
    }
}
