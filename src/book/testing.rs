//! What the tests of this room share.

use std::path::PathBuf;

/// A name for a book that is removed at the end, with its journal.
pub(super) struct TempBook {
    pub(super) path: PathBuf,
}

impl TempBook {
    pub(super) fn new(name: &str) -> TempBook {
        let name = format!("kitai-book-{}-{name}.kbook", std::process::id());
        let temp = TempBook { path: std::env::temp_dir().join(name) };
        temp.remove();
        temp
    }

    fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_file(super::file::journal_path(&self.path));
    }
}

impl Drop for TempBook {
    fn drop(&mut self) {
        self.remove();
    }
}

/// A quick search: a small table, an evaluation that counts discs and mobility, and the end solved.
pub(super) fn judge_options(exact_from: u32) -> crate::options::Options {
    let mut options = crate::options::Options::new();
    let exact_from = exact_from.to_string();
    for (name, value) in [("hash", "1"), ("eval", "mobility"), ("exact-from", &exact_from)] {
        options.set(name, value).unwrap();
    }
    options
}
