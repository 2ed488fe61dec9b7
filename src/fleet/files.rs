//! Weights, tables and other files by content hash, through the broker's object store.
//!
//! In a job a file stands as `sha256:…` where its path stood. A worker fetches what it does not
//! have, checks the hash, and keeps it in a folder of its own under that name; a path that came over
//! the wire is never opened.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_nats::jetstream::object_store::ObjectStore;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::io::AsyncReadExt;
use tokio::sync::Mutex;

use super::FleetError;
use super::connect::describe;
use super::wire;
use crate::files;
use crate::options::{Options, Wire};

/// The largest file that travels, bytes.
pub const LARGEST_FILE: u64 = 256 << 20;
/// Files that one job may name.
const MOST: usize = 16;
/// What stands before a hash.
const PREFIX: &str = "sha256:";

/// The name of a content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hash(String);

impl Hash {
    /// The name of these bytes.
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(wire::hex(&Sha256::digest(bytes)))
    }

    /// Reads `sha256:…`.
    pub fn read(text: &str) -> Option<Hash> {
        let digits = text.strip_prefix(PREFIX)?;
        let valid = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        (digits.len() == 64 && digits.bytes().all(valid)).then(|| Hash(digits.to_owned()))
    }

    /// As it stands in a job.
    pub fn reference(&self) -> String {
        format!("{PREFIX}{}", self.0)
    }
}

/// Files that a coordinator will send, by hash.
#[derive(Debug, Default)]
pub struct Outgoing {
    files: BTreeMap<Hash, Vec<u8>>,
}

impl Outgoing {
    /// Options as they travel: every file replaced by its hash and taken along.
    ///
    /// # Errors
    /// If a file cannot be read or is too large.
    pub fn pack(&mut self, options: &Options) -> Result<Options, FleetError> {
        let mut packed = options.clone();
        for (name, value) in options.changed() {
            let path = value.to_string();
            if is_file(name) && !path.is_empty() {
                let bad = |reason: String| FleetError::File { file: path.clone(), reason };
                let bytes = files::read(Path::new(&path), LARGEST_FILE)
                    .map_err(|error| bad(error.to_string()))?;
                let hash = Hash::of(&bytes);
                packed.set(name, &hash.reference()).map_err(|error| bad(error.to_string()))?;
                self.files.insert(hash, bytes);
            }
        }
        Ok(packed)
    }

    /// Puts the files into the store that it does not have yet, and lets go of them.
    ///
    /// # Errors
    /// If the store does not take one.
    pub async fn send(&mut self, store: &ObjectStore) -> Result<(), FleetError> {
        for (hash, bytes) in std::mem::take(&mut self.files) {
            let there = store.info(&hash.0).await.is_ok_and(|info| info.size == bytes.len());
            if !there {
                let stored = store.put(hash.0.as_str(), &mut bytes.as_slice()).await;
                stored.map_err(|error| FleetError::File {
                    file: hash.reference(),
                    reason: describe(&error),
                })?;
            }
        }
        Ok(())
    }
}

fn is_file(option: &str) -> bool {
    Options::spec(option).is_ok_and(|spec| spec.wire == Wire::No)
}

/// Options as they came, made usable here: every hash replaced by the path of the file that was
/// fetched for it.
///
/// # Errors
/// If a file option is anything but the hash of a fetched file.
pub fn unpack(options: &Options, fetched: &Fetched) -> Result<Options, String> {
    let mut usable = options.clone();
    for (name, value) in options.changed() {
        let text = value.to_string();
        if is_file(name) && !text.is_empty() {
            let hash = Hash::read(&text)
                .ok_or_else(|| format!("option `{name}`: `{text}` names a file of this machine"))?;
            let path = fetched.get(&hash).ok_or_else(|| format!("{text} was not fetched"))?;
            usable.set(name, &path.display().to_string()).map_err(|error| error.to_string())?;
        }
    }
    Ok(usable)
}

/// Where the files of a job are.
pub type Fetched = BTreeMap<Hash, PathBuf>;

/// A worker's folder of files.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    /// Held while a file is looked at and fetched: jobs that arrive together and name the same file
    /// would otherwise write over each other's copy of it.
    fetching: Arc<Mutex<()>>,
}

impl Cache {
    /// The cache in this folder, which is made if it is not there.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(folder: &Path) -> Result<Cache, FleetError> {
        std::fs::create_dir_all(folder).map_err(|error| FleetError::File {
            file: folder.display().to_string(),
            reason: error.to_string(),
        })?;
        Ok(Cache { folder: folder.to_owned(), fetching: Arc::default() })
    }

    /// Makes sure that every file which this body names is here, and says where.
    ///
    /// # Errors
    /// If one cannot be had, or is not what its name says.
    pub async fn fetch(&self, body: &Value, store: &ObjectStore) -> Result<Fetched, FleetError> {
        let mut hashes = Vec::new();
        named(body, &mut hashes);
        let mut fetched = Fetched::new();
        for hash in hashes {
            if fetched.len() == MOST {
                let reason = format!("the job names more than {MOST} files");
                return Err(FleetError::File { file: hash.reference(), reason });
            }
            let path = self.one(&hash, store).await?;
            fetched.insert(hash, path);
        }
        Ok(fetched)
    }

    async fn one(&self, hash: &Hash, store: &ObjectStore) -> Result<PathBuf, FleetError> {
        let path = self.folder.join(&hash.0);
        let _alone = self.fetching.lock().await;
        // What lies here may have been cut or changed, so it is looked at again for every job.
        if files::read(&path, LARGEST_FILE).is_ok_and(|bytes| Hash::of(&bytes) == *hash) {
            return Ok(path);
        }
        let bad = |reason: String| FleetError::File { file: hash.reference(), reason };
        let mut object = store.get(&hash.0).await.map_err(|error| bad(describe(&error)))?;
        if object.info.size as u64 > LARGEST_FILE {
            return Err(bad(format!("{} bytes are more than {LARGEST_FILE}", object.info.size)));
        }
        let mut bytes = Vec::new();
        let most = LARGEST_FILE + 1;
        (&mut object)
            .take(most)
            .read_to_end(&mut bytes)
            .await
            .map_err(|error| bad(error.to_string()))?;
        if Hash::of(&bytes) != *hash {
            return Err(bad("the store holds something else under this name".to_owned()));
        }
        let beside = self.folder.join(format!("{}.{}.new", hash.0, std::process::id()));
        std::fs::write(&beside, &bytes)
            .and_then(|()| std::fs::rename(&beside, &path))
            .map_err(|error| bad(error.to_string()))?;
        Ok(path)
    }
}

/// Every hash in a value, each once.
fn named(value: &Value, found: &mut Vec<Hash>) {
    match value {
        Value::String(text) => {
            found.extend(Hash::read(text).filter(|hash| !found.contains(hash)));
        }
        Value::Array(values) => values.iter().for_each(|value| named(value, found)),
        Value::Object(values) => values.values().for_each(|value| named(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn file_options_travel_as_hashes_and_paths_from_the_wire_are_refused() {
        let folder = std::env::temp_dir().join(format!("kitai-fleet-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("weights.bin");
        std::fs::write(&file, b"abc").unwrap();
        let mut options = Options::new();
        options.set("depth", "3").unwrap();
        options.set("weights", &file.display().to_string()).unwrap();
        let mut outgoing = Outgoing::default();
        let packed = outgoing.pack(&options).unwrap();
        let hash = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(packed.value_of("weights").unwrap().to_string(), hash);
        let body = serde_json::to_value(&packed).unwrap();
        let mut hashes = Vec::new();
        named(&json!([body, {"again": body}]), &mut hashes);
        assert_eq!(hashes, [Hash::read(hash).unwrap()]);
        let fetched = Fetched::from([(hashes[0].clone(), file.clone())]);
        assert_eq!(unpack(&packed, &fetched).unwrap(), options);
        assert!(unpack(&packed, &Fetched::new()).unwrap_err().contains("was not fetched"));
        let error = unpack(&options, &fetched).unwrap_err();
        assert!(error.contains("names a file of this machine"), "{error}");
        options.set("weights", "no/such/file").unwrap();
        assert!(outgoing.pack(&options).unwrap_err().to_string().starts_with("no/such/file"));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn only_whole_lower_case_hashes_are_hashes() {
        for bad in ["", "sha256:", "sha256:../../etc/passwd", &format!("sha256:{}", "A".repeat(64))]
        {
            assert_eq!(Hash::read(bad), None, "{bad}");
        }
    }
}
