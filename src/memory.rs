//! Large blocks of memory: how much the machine has, how to ask for some without ending the
//! process, and huge pages for what is read all over.

use thiserror::Error;
use zerocopy::FromZeros;

/// A block of zeros that the system hands out page by page when first used.
///
/// # Errors
/// If there is not so much memory: a number that a user wrote must never end the process.
pub(crate) fn zeroed<T: FromZeros>(count: usize) -> Result<Box<[T]>, OutOfMemory> {
    let refused = OutOfMemory::of_bytes(count.saturating_mul(size_of::<T>()));
    if refused.0 as u64 > physical_mebibytes() {
        return Err(refused);
    }
    <[T]>::new_box_zeroed_with_elems(count).map_err(|_| refused)
}

/// Memory that this process may use, MiB: the machine's, or less if a limit was set for it. Where
/// it cannot be known, no limit.
pub(crate) fn physical_mebibytes() -> u64 {
    static KNOWN: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    *KNOWN.get_or_init(|| {
        let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
            line.split_whitespace().next()?.parse::<u64>().ok().map(|kibibytes| kibibytes >> 10)
        });
        let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
            .ok()
            .and_then(|text| text.trim().parse::<u64>().ok().map(|bytes| bytes >> 20));
        machine.into_iter().chain(limit).min().unwrap_or(u64::MAX)
    })
}

/// A block that the system does not grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this machine has not {0} MiB to give")]
pub struct OutOfMemory(pub usize);

impl OutOfMemory {
    /// For a block of so many bytes.
    pub fn of_bytes(bytes: usize) -> OutOfMemory {
        OutOfMemory(bytes.div_ceil(1 << 20))
    }
}

/// Asks the system to back a block that has not been written to yet with huge pages. Only advice:
/// where there are none, nothing changes.
#[cfg(target_os = "linux")]
pub(crate) fn prefer_huge_pages<T>(block: &[T]) {
    use nix::sys::mman::{MmapAdvise, madvise};
    use std::ptr::NonNull;
    const PAGE: usize = 4096;

    let start = (block.as_ptr() as usize).next_multiple_of(PAGE);
    let end = (block.as_ptr() as usize + size_of_val(block)) / PAGE * PAGE;
    let first =
        block.as_ptr().cast_mut().cast::<u8>().wrapping_add(start - block.as_ptr() as usize);
    if let (Some(first), true) = (NonNull::new(first), start < end) {
        // SAFETY: the range is whole pages inside a live block, and this advice changes only how
        // the system backs them, never what they hold.
        let _ = unsafe { madvise(first.cast(), end - start, MmapAdvise::MADV_HUGEPAGE) };
    }
}

/// Nothing to ask for on this system.
#[cfg(not(target_os = "linux"))]
pub fn prefer_huge_pages<T>(_block: &[T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_memory_than_there_is_is_refused_and_a_little_is_zero() {
        assert!(zeroed::<u64>(usize::MAX / 8).is_err());
        assert!(zeroed::<u64>(usize::MAX).is_err());
        assert!(zeroed::<u64>(1000).unwrap().iter().all(|&word| word == 0));
        assert!(physical_mebibytes() > 0);
    }

    #[test]
    fn advice_leaves_the_content_alone_whatever_the_size() {
        for size in [0, 1, 4095, 4096, 10_000, 5 << 20] {
            let mut block = vec![0u8; size];
            prefer_huge_pages(&block);
            assert!(block.iter().all(|&byte| byte == 0));
            block.fill(7);
            assert!(block.iter().all(|&byte| byte == 7));
        }
    }
}
