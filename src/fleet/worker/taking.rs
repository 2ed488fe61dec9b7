//! Pulls jobs from the queues that this worker can serve.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;

use super::{Shared, holding};
use crate::fleet::wire::ANY;

/// How long a pull waits at the broker.
const WAIT: Duration = Duration::from_secs(5);
/// Pause after the broker refused or was gone, and while excluded.
const PAUSE: Duration = Duration::from_millis(500);
/// How often to look for queues of new needs.
const LOOK: Duration = Duration::from_secs(3);

/// Takes jobs until the worker shall end; what it took is then held by tasks of its own.
pub(super) async fn take_jobs(shared: &Arc<Shared>) {
    let mut known = BTreeSet::new();
    let mut pullers = JoinSet::new();
    let mut ending = shared.ending.clone();
    while !shared.is_ending() {
        let mut needs = shared.streams.needs().await.unwrap_or_default();
        needs.push(ANY.to_owned());
        for need in needs {
            if can_serve(shared, &need) && known.insert(need.clone()) {
                pullers.spawn(pull(Arc::clone(shared), need));
            }
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            _ = ending.wait_for(|ending| *ending > 0) => {}
        }
    }
    // What the broker sends until the last pull ends is given back.
    while pullers.join_next().await.is_some() {}
}

fn can_serve(shared: &Shared, need: &str) -> bool {
    let has = |engine: &str| shared.settings.engines.iter().any(|own| own.as_str() == engine);
    need == ANY || need.split('+').all(has)
}

async fn pull(shared: Arc<Shared>, need: String) {
    while !shared.is_ending() {
        let Ok(queue) = shared.streams.queue(&need, shared.settings.timing).await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let lease = queue.cached_info().config.ack_wait;
        while !shared.is_ending() {
            if shared.is_excluded() {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            let Some(room) = room(&shared).await else { return };
            if let Err(error) = batch(&shared, &queue, room, lease).await {
                tracing::debug!("cannot take jobs: {error}");
                tokio::time::sleep(PAUSE).await;
                break;
            }
        }
    }
}

/// Room for as many jobs as there is, at least one; `None` if the worker ended meanwhile.
async fn room(shared: &Shared) -> Option<Vec<OwnedSemaphorePermit>> {
    let mut ending = shared.ending.clone();
    let first = tokio::select! {
        first = Arc::clone(&shared.room).acquire_owned() => first.ok()?,
        _ = ending.wait_for(|ending| *ending > 0) => return None,
    };
    let mut room = vec![first];
    while let Ok(more) = Arc::clone(&shared.room).try_acquire_owned() {
        room.push(more);
    }
    Some(room)
}

async fn batch(
    shared: &Arc<Shared>,
    queue: &PullConsumer,
    mut room: Vec<OwnedSemaphorePermit>,
    lease: Duration,
) -> Result<(), async_nats::Error> {
    let mut jobs = queue.batch().max_messages(room.len()).expires(WAIT).messages().await?;
    while let Some(job) = jobs.next().await {
        let job = job?;
        let Some(room) = room.pop() else { break };
        tokio::spawn(holding::hold(Arc::clone(shared), job, room, lease));
    }
    Ok(())
}
