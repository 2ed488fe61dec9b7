//! Workers that shall take no jobs and whose reports do not count, kept at the broker so that every
//! worker and coordinator knows.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::jetstream::kv::Store;
use futures_util::TryStreamExt;
use tokio::sync::watch;

use super::FleetError;
use super::streams::broker;
use super::wire::{Name, shortened};

/// How often the list is looked at.
const LOOK: Duration = Duration::from_secs(2);

/// Names with the reasons.
pub type Excluded = BTreeMap<Name, String>;

/// The list as it is now.
///
/// # Errors
/// If the broker does not answer.
pub async fn list(store: &Store) -> Result<Excluded, FleetError> {
    let what = "list the excluded workers";
    let keys = store.keys().await.map_err(broker(what))?;
    let keys: Vec<String> = keys.try_collect().await.map_err(broker(what))?;
    let mut excluded = Excluded::new();
    for key in keys {
        let value = store.get(&key).await.map_err(broker(what))?;
        if let (Ok(name), Some(reason)) = (key.parse(), value) {
            excluded.insert(name, shortened(&String::from_utf8_lossy(&reason)));
        }
    }
    Ok(excluded)
}

/// Excludes a worker from now on.
///
/// # Errors
/// If the broker does not answer.
pub async fn exclude(store: &Store, worker: &Name, reason: &str) -> Result<(), FleetError> {
    let put = store.put(worker.as_str(), shortened(reason).into()).await;
    put.map_err(broker("exclude a worker"))?;
    Ok(())
}

/// Takes a worker back.
///
/// # Errors
/// If the broker does not answer.
pub async fn include(store: &Store, worker: &Name) -> Result<(), FleetError> {
    store.purge(worker.as_str()).await.map_err(broker("take a worker back"))
}

/// Follows the list for as long as someone looks at it.
pub fn follow(store: Store) -> watch::Receiver<Excluded> {
    let (sender, receiver) = watch::channel(Excluded::new());
    tokio::spawn(async move {
        while !sender.is_closed() {
            // A broker that is gone keeps the list as it was.
            if let Ok(excluded) = list(&store).await {
                sender.send_if_modified(|known| {
                    let changed = *known != excluded;
                    *known = excluded;
                    changed
                });
            }
            tokio::time::sleep(LOOK).await;
        }
    });
    receiver
}
