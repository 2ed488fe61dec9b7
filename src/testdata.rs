//! Where tests find the shared data (games, problems, coefficient files) that the repository does
//! not ship. Such tests are marked as ignored and named `…_with_shared_data`; `.ci/run` runs them
//! where the data is.

use std::path::{Path, PathBuf};

/// The file or folder of this name in the folder named by `KITAI_DATA`, or else in
/// `../shared/data` beside the repository.
///
/// # Panics
/// If it is not there.
pub(crate) fn shared_data(relative: &str) -> PathBuf {
    let root = std::env::var_os("KITAI_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        PathBuf::from,
    );
    let path = root.join(relative);
    assert!(path.exists(), "{} is missing", path.display());
    path
}
