//! Where tests find the shared data (games, problems, coefficient files) that the repository does
//! not ship.

use std::path::{Path, PathBuf};

/// The file or folder of this name in the folder named by `KITAI_DATA`, or else in
/// `../shared/data` beside the repository; `None`, with a note on stderr, if it is not there.
pub fn shared_data(relative: &str) -> Option<PathBuf> {
    let root = std::env::var_os("KITAI_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        PathBuf::from,
    );
    let path = root.join(relative);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: no ../shared/data");
    None
}
