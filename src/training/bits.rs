//! Numbers of any width packed into bytes, lowest bit first.

/// Collects bits.
#[derive(Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that do not fill a byte yet, and how many they are.
    rest: u64,
    count: u32,
}

impl BitWriter {
    /// Adds the `width` (at most 32) low bits of `value`, which has no others.
    pub(super) fn put(&mut self, value: u32, width: u32) {
        debug_assert!(width <= 32 && u64::from(value) < 1 << width);
        self.rest |= u64::from(value) << self.count;
        self.count += width;
        while self.count >= 8 {
            self.bytes.push(self.rest as u8);
            self.rest >>= 8;
            self.count -= 8;
        }
    }

    /// The bytes, the last one filled up with zeros.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.rest as u8);
        }
        self.bytes
    }
}

/// Takes bits out again. Behind the end there are zeros; [`BitReader::is_at_end`] tells.
pub(super) struct BitReader<'b> {
    bytes: &'b [u8],
    rest: u64,
    count: u32,
    /// Zero bits handed out from behind the end.
    missing: u32,
}

impl<'b> BitReader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> BitReader<'b> {
        BitReader { bytes, rest: 0, count: 0, missing: 0 }
    }

    /// Makes sure of 32 bits in `rest`.
    #[inline]
    fn fill(&mut self) {
        if self.count >= 32 {
            return;
        }
        if let Some((word, after)) = self.bytes.split_first_chunk() {
            self.rest |= u64::from(u32::from_le_bytes(*word)) << self.count;
            self.count += 32;
            self.bytes = after;
            return;
        }
        while self.count < 32 {
            let byte = match self.bytes.split_first() {
                Some((&byte, after)) => {
                    self.bytes = after;
                    byte
                }
                None => {
                    self.missing += 8;
                    0
                }
            };
            self.rest |= u64::from(byte) << self.count;
            self.count += 8;
        }
    }

    /// The next `width` (at most 32) bits.
    #[inline]
    pub(super) fn take(&mut self, width: u32) -> u32 {
        self.fill();
        let value = (self.rest & ((1 << width) - 1)) as u32;
        self.rest >>= width;
        self.count -= width;
        value
    }

    /// How many ones follow, at most `most` (below 32); the zero after fewer is taken too.
    #[inline]
    pub(super) fn take_ones(&mut self, most: u32) -> u32 {
        self.fill();
        let ones = self.rest.trailing_ones().min(most);
        let taken = ones + u32::from(ones < most);
        self.rest >>= taken;
        self.count -= taken;
        ones
    }

    /// Whether all bytes were taken, up to zeros that fill the last one, and no more.
    pub(super) fn is_at_end(&self) -> bool {
        let left = self.bytes.len() as u32 * 8 + self.count;
        self.missing <= left && left - self.missing < 8 && self.rest == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::seeded;
    use rand::Rng;

    #[test]
    fn numbers_of_all_widths_come_back() {
        let mut rng = seeded(8);
        for length in 0..200 {
            let numbers: Vec<(u32, u32)> = (0..length)
                .map(|_| {
                    let width = rng.random_range(0..=32);
                    ((rng.random::<u64>() & ((1 << width) - 1)) as u32, width)
                })
                .collect();
            let mut writer = BitWriter::default();
            for &(value, width) in &numbers {
                writer.put(value, width);
            }
            let bytes = writer.finish();
            let mut reader = BitReader::new(&bytes);
            for &(value, width) in &numbers {
                assert_eq!(reader.take(width), value);
            }
            assert!(reader.is_at_end());
            reader.take(8);
            assert!(!reader.is_at_end());
        }
    }

    #[test]
    fn ones_are_counted_up_to_the_most() {
        let mut reader = BitReader::new(&[0b1011_0111, 0xff]);
        assert_eq!(reader.take_ones(20), 3);
        assert_eq!(reader.take_ones(2), 2);
        assert_eq!(reader.take_ones(20), 0);
        assert_eq!(reader.take_ones(5), 5);
        assert_eq!(reader.take_ones(9), 4);
        assert!(!BitReader::new(&[0]).is_at_end());
    }
}
