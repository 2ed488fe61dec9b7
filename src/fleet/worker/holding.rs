//! Holds one job from its delivery to its report.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{AckKind, Message};
use tokio::sync::OwnedSemaphorePermit;

use super::slots::Performed;
use super::{Circumstances, OnSlot, Shared};
use crate::fleet::connect::describe;
use crate::fleet::wire::{self, End, Job, LARGEST, PROTOCOL, Report};
use crate::search::StopFlag;

/// Pause before a report is published again.
const PAUSE: Duration = Duration::from_millis(500);

/// What became of a job.
enum Fate {
    /// To be reported.
    Ended(End, f64),
    /// Nobody wants it any more.
    Dropped,
    /// Another worker shall do it.
    GivenBack,
}

/// Does the job of this message and lets go of it; meanwhile the broker hears that it is in hand.
pub(super) async fn hold(
    shared: Arc<Shared>,
    message: Message,
    room: OwnedSemaphorePermit,
    lease: Duration,
) {
    let holding = async {
        match Job::read(&message.subject, &message.payload) {
            Ok(job) => do_job(&shared, &message, job).await,
            Err(refusal) => {
                tracing::warn!("{}: refused: {refusal}", message.subject);
                shared.state().counts.refused += 1;
                put_aside(&shared, &message, &refusal.to_string()).await;
                AckKind::Ack
            }
        }
    };
    let mut in_hand = tokio::time::interval((lease / 3).max(Duration::from_millis(10)));
    tokio::pin!(holding);
    let kind = loop {
        tokio::select! {
            kind = &mut holding => break kind,
            _ = in_hand.tick() => {
                // A lost sign of life is made good by the next.
                let _ = message.ack_with(AckKind::Progress).await;
            }
        }
    };
    // A lost acknowledgement means that the job comes again.
    let _ = message.ack_with(kind).await;
    drop(room);
}

async fn do_job(shared: &Shared, message: &Message, job: Job) -> AckKind {
    let deliveries = message.info().map_or(1, |info| info.delivered);
    let fate = if deliveries > i64::from(job.tries) {
        let reason = format!("delivered {} times without a report", deliveries - 1);
        put_aside(shared, message, &reason).await;
        Fate::Ended(End::Failed(reason), 0.0)
    } else {
        perform(shared, &job).await
    };
    match fate {
        Fate::Ended(end, seconds) => {
            match &end {
                End::Done(_) => shared.state().counts.done += 1,
                End::Failed(reason) => {
                    tracing::warn!("job {} of {} failed: {reason}", job.number, job.run);
                    shared.state().counts.failed += 1;
                }
            }
            match report(shared, &job, end, seconds).await {
                true => AckKind::Ack,
                false => AckKind::Nak(None),
            }
        }
        Fate::Dropped => AckKind::Ack,
        Fate::GivenBack => {
            shared.state().counts.given_back += 1;
            AckKind::Nak(None)
        }
    }
}

async fn perform(shared: &Shared, job: &Job) -> Fate {
    let failed = |reason: String| Fate::Ended(End::Failed(wire::shortened(&reason)), 0.0);
    let files = match shared.cache.fetch(&job.body, &shared.streams.files).await {
        Ok(files) => files,
        Err(error) => return failed(error.to_string()),
    };
    let threads = (job.threads as usize).clamp(1, shared.settings.slots) as u32;
    let mut ending = shared.ending.clone();
    let slot = tokio::select! {
        slot = shared.free.acquire_many(threads) => slot,
        _ = ending.wait_for(|ending| *ending > 0) => return Fate::GivenBack,
    };
    if shared.is_ending() || slot.is_err() {
        return Fate::GivenBack;
    }
    if shared.is_cancelled(&job.run, job.session) {
        return Fate::Dropped;
    }
    let stop = StopFlag::new();
    let id = begin(shared, job, &stop);
    let began = Instant::now();
    let at = Circumstances { files, stop: stop.clone() };
    let performing = shared.slots.perform(job.kind.clone(), job.body.clone(), at);
    tokio::pin!(performing);
    let longest = shared.settings.longest_job;
    let (performed, late) = tokio::select! {
        performed = &mut performing => (performed, false),
        () = tokio::time::sleep(longest) => {
            stop.stop();
            (performing.await, true)
        }
    };
    drop(slot);
    let seconds = began.elapsed().as_secs_f64();
    end(shared, id);
    match performed {
        Performed::Ok(Some(result)) => Fate::Ended(End::Done(result), seconds),
        Performed::Err(reason) => Fate::Ended(End::Failed(wire::shortened(&reason)), seconds),
        Performed::Ok(None) if late => {
            failed(format!("it took longer than {} s", longest.as_secs()))
        }
        Performed::Ok(None) if shared.is_cancelled(&job.run, job.session) => Fate::Dropped,
        Performed::Ok(None) => Fate::GivenBack,
    }
}

fn begin(shared: &Shared, job: &Job, stop: &StopFlag) -> u64 {
    let mut state = shared.state();
    let id = state.next_id;
    state.next_id += 1;
    let on_slot = OnSlot {
        run: job.run.clone(),
        session: job.session,
        kind: job.kind.clone(),
        began: Instant::now(),
        stop: stop.clone(),
    };
    state.running.insert(id, on_slot);
    id
}

fn end(shared: &Shared, id: u64) {
    let mut state = shared.state();
    if let Some(job) = state.running.remove(&id) {
        state.busy += job.began.elapsed();
    }
}

/// Publishes a report until the broker has it; false if the worker ended before that.
async fn report(shared: &Shared, job: &Job, end: End, seconds: f64) -> bool {
    let mut report = Report {
        protocol: PROTOCOL,
        run: job.run.clone(),
        number: job.number,
        attempt: job.attempt,
        worker: shared.settings.name.clone(),
        seconds,
        end,
    };
    let mut payload = serde_json::to_vec(&report).unwrap_or_default();
    if payload.len() > LARGEST {
        report.end = End::Failed(format!("its result has {} bytes", payload.len()));
        payload = serde_json::to_vec(&report).unwrap_or_default();
    }
    let subject = wire::result_subject(&job.run, job.number);
    let mut tries_after_end = 0;
    while tries_after_end < 4 {
        let message =
            PublishMessage::build().payload(payload.clone().into()).message_id(job.message_id());
        let sent = match shared.connection.jetstream.send_publish(subject.clone(), message).await {
            Ok(acknowledged) => acknowledged.await.map(drop),
            Err(error) => Err(error),
        };
        match sent {
            Ok(()) => return true,
            Err(error) => tracing::debug!("a report was not published: {}", describe(&error)),
        }
        tries_after_end += u32::from(shared.is_ending());
        tokio::time::sleep(PAUSE).await;
    }
    false
}

/// Keeps a message that cannot be done where people find it, with the reason.
async fn put_aside(shared: &Shared, message: &Message, reason: &str) {
    let tail = message.subject.rsplitn(3, '.').collect::<Vec<_>>();
    let place = match tail[..] {
        [number, run, _] => format!("{run}.{number}"),
        _ => "unknown.0".to_owned(),
    };
    let mut headers = HeaderMap::new();
    headers.insert("Kitai-Reason", wire::shortened(reason).as_str());
    headers.insert("Kitai-Worker", shared.settings.name.as_str());
    let payload = message.payload.clone();
    let sent =
        shared.connection.jetstream.publish_with_headers(wire::dead(&place), headers, payload);
    // It was told in the log as well.
    if let Ok(acknowledged) = sent.await {
        let _ = acknowledged.await;
    }
}
