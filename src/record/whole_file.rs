//! Files that are written whole or not at all: beside their name first, renamed when complete.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The name a file has while it is being written.
fn partial_name(path: &Path) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Lets `make` write the file under another name and gives it its own when that has succeeded and
/// everything is on the disk. After a failure nothing is left of it, and a file that was there
/// before is as it was.
///
/// # Errors
/// What `make` says, or the system's error through `io`.
pub fn written_by<T, E>(
    path: &Path,
    make: impl FnOnce(&Path) -> Result<T, E>,
    io: impl Fn(std::io::Error) -> E,
) -> Result<T, E> {
    let partial = partial_name(path);
    // Left over from a process that was killed.
    let _ = std::fs::remove_file(&partial);
    let made = make(&partial).and_then(|made| {
        File::open(&partial)
            .and_then(|file| file.sync_all())
            .and_then(|()| std::fs::rename(&partial, path))
            .map_err(io)?;
        Ok(made)
    });
    if made.is_err() {
        // The error at hand matters more than a left-over.
        let _ = std::fs::remove_file(&partial);
    }
    made
}

/// Writes these bytes as a whole file.
///
/// # Errors
/// What the system says; nothing is left of the file then.
pub fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    written_by(path, |partial| std::fs::write(partial, bytes), |error| error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("kitai-{}-whole", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.txt");
        write(&path, b"old").unwrap();
        let failed = written_by(
            &path,
            |partial| {
                std::fs::write(partial, b"half")?;
                Err::<(), _>(std::io::Error::other("disk full"))
            },
            |error| error,
        );
        assert_eq!(failed.unwrap_err().to_string(), "disk full");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        write(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
