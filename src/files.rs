//! Files that users name: regular ones of bounded size, read whole.
//!
//! A name may stand for a pipe that nobody writes to, or a device without an end. Opening never
//! waits, what is no regular file is refused, and never more than the bound is read, whatever the
//! file's size said.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::Path;

use thiserror::Error;

/// Why a file was not read.
#[derive(Debug, Error)]
pub enum FileError {
    /// The system says no.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A folder, pipe, socket or device.
    #[error("not a regular file")]
    NotRegular,
    /// More than there may be.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
}

impl From<FileError> for std::io::Error {
    fn from(error: FileError) -> std::io::Error {
        match error {
            FileError::Io(source) => source,
            other => std::io::Error::other(other),
        }
    }
}

/// Reads a whole regular file of at most this many bytes.
///
/// # Errors
/// If it cannot be read, is something else, or is larger.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(FileError::TooLarge(most));
    }
    Ok(bytes)
}

/// Opens a regular file for reading, without waiting for anybody.
///
/// # Errors
/// If it cannot be opened or is something else.
pub fn open(path: &Path) -> Result<File, FileError> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Without it, opening a pipe waits for a writer.
        options.custom_flags(nix::libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(FileError::NotRegular) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_up_to_the_bound_are_read() {
        let folder = std::env::temp_dir().join(format!("kitai-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("ten");
        std::fs::write(&file, [7; 10]).unwrap();
        assert_eq!(read(&file, 10).unwrap(), [7; 10]);
        assert!(matches!(read(&file, 9), Err(FileError::TooLarge(9))));
        assert!(matches!(read(&folder.join("none"), 9), Err(FileError::Io(_))));
        assert!(matches!(read(&folder, 9), Err(FileError::NotRegular)));
        #[cfg(target_os = "linux")]
        {
            assert!(matches!(read(Path::new("/dev/zero"), 9), Err(FileError::NotRegular)));
            let pipe = folder.join("pipe");
            let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
            assert!(made.success());
            assert!(matches!(read(&pipe, 9), Err(FileError::NotRegular)));
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
