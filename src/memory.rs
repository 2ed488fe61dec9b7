//! Large blocks of memory: how much the machine has, how to ask for some without ending the
//! process, and huge pages for what is read all over.

use thiserror::Error;
use zerocopy::FromZeros;

/// A block of zeros that the system hands out page by page when first used, in huge pages where it
/// has them; [`make_resident`] has it handed out at once.
///
/// # Errors
/// If there is not so much memory: a number that a user wrote must never end the process.
pub(crate) fn zeroed<T: FromZeros>(count: usize) -> Result<Box<[T]>, OutOfMemory> {
    let bytes = count.saturating_mul(size_of::<T>());
    let refused = OutOfMemory::of_bytes(bytes);
    if refused.0 as u64 > physical_mebibytes() || !has_room(bytes) {
        return Err(refused);
    }
    let block = <[T]>::new_box_zeroed_with_elems(count).map_err(|_| refused)?;
    prefer_huge_pages(&block);
    Ok(block)
}

/// Whether so many bytes more can be used now: a system that promises more memory than it has ends
/// processes later. Asked before every large step of growth; small ones are not worth the look.
pub(crate) fn has_room(bytes: usize) -> bool {
    const SMALL: usize = 16 << 20;
    bytes < SMALL || available_mebibytes().is_none_or(|free| (bytes >> 20) as u64 <= free)
}

/// Memory to be had now without pushing anybody else out, MiB; `None` where it cannot be known.
fn available_mebibytes() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| kibibytes(&text, "MemAvailable:"));
    let bytes = |path: &str| read(path)?.trim().parse::<u64>().ok();
    let limit = bytes("/sys/fs/cgroup/memory.max");
    let used = bytes("/sys/fs/cgroup/memory.current");
    let within_limit = limit.zip(used).map(|(limit, used)| limit.saturating_sub(used) >> 20);
    machine.map(|kibibytes| kibibytes >> 10).into_iter().chain(within_limit).min()
}

/// A line of `/proc/meminfo`.
fn kibibytes(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Memory that this process may use, MiB: the machine's, or less if a limit was set for it. Where
/// it cannot be known, no limit.
pub(crate) fn physical_mebibytes() -> u64 {
    static KNOWN: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    *KNOWN.get_or_init(|| {
        let machine = std::fs::read_to_string("/proc/meminfo")
            .ok()
            .and_then(|text| kibibytes(&text, "MemTotal:").map(|kibibytes| kibibytes >> 10));
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
pub(crate) fn prefer_huge_pages<T>(block: &[T]) {
    advise(block, Advice::HugePages);
}

/// Has the system hand out all pages of a block now, so that whoever uses it later does not wait for
/// them: a first touch of a huge page can take milliseconds. Where the system cannot, the pages come
/// when they are used.
pub(crate) fn make_resident<T>(block: &[T]) {
    advise(block, Advice::Resident);
}

#[derive(Clone, Copy)]
enum Advice {
    HugePages,
    Resident,
}

#[cfg(target_os = "linux")]
fn advise<T>(block: &[T], advice: Advice) {
    use nix::sys::mman::{MmapAdvise, madvise};
    use std::ptr::NonNull;
    const PAGE: usize = 4096;

    let advice = match advice {
        Advice::HugePages => MmapAdvise::MADV_HUGEPAGE,
        Advice::Resident => MmapAdvise::MADV_POPULATE_WRITE,
    };
    let start = (block.as_ptr() as usize).next_multiple_of(PAGE);
    let end = (block.as_ptr() as usize + size_of_val(block)) / PAGE * PAGE;
    let first =
        block.as_ptr().cast_mut().cast::<u8>().wrapping_add(start - block.as_ptr() as usize);
    if let (Some(first), true) = (NonNull::new(first), start < end) {
        // SAFETY: the range is whole pages inside a live block, and both kinds of advice change
        // only how the system backs them, never what they hold.
        let _ = unsafe { madvise(first.cast(), end - start, advice) };
    }
}

/// Nothing to ask for on this system.
#[cfg(not(target_os = "linux"))]
fn advise<T>(_block: &[T], _advice: Advice) {}

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
    fn room_is_what_the_machine_says_is_available() {
        assert!(has_room(1));
        if available_mebibytes().is_some() {
            assert!(!has_room(usize::MAX));
        }
        let meminfo = "MemTotal:  24600000 kB\nMemAvailable:   2048000 kB\n";
        assert_eq!(kibibytes(meminfo, "MemAvailable:"), Some(2_048_000));
        assert_eq!(kibibytes(meminfo, "MemFree:"), None);
    }

    #[test]
    fn advice_leaves_the_content_alone_whatever_the_size() {
        for size in [0, 1, 4095, 4096, 10_000, 5 << 20] {
            let mut block = vec![0u8; size];
            prefer_huge_pages(&block);
            make_resident(&block);
            assert!(block.iter().all(|&byte| byte == 0));
            block.fill(7);
            assert!(block.iter().all(|&byte| byte == 7));
        }
    }
}
