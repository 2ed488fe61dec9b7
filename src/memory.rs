//! Large blocks of memory that are read all over: fewer, larger pages make that faster.

/// Asks the system to back a block that has not been written to yet with huge pages. Only advice:
/// where there are none, nothing changes.
#[cfg(target_os = "linux")]
pub fn prefer_huge_pages<T>(block: &[T]) {
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
