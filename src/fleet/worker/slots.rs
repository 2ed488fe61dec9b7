//! The threads that do jobs: one per slot, each with a performer of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;

use super::{Circumstances, Factory};
use crate::fleet::FleetError;

/// Stack of a slot, bytes: room for the deepest recursive search.
const STACK: usize = 32 << 20;

/// What a job gave: a result, nothing because it was stopped, or why there is none.
pub(super) type Performed = Result<Option<Value>, String>;

struct Task {
    kind: String,
    body: Value,
    at: Circumstances,
    reply: oneshot::Sender<Performed>,
}

/// The threads; they end when this is gone.
pub(super) struct Slots {
    tasks: Sender<Task>,
}

impl Slots {
    pub(super) fn start(count: usize, factory: Factory) -> Result<Slots, FleetError> {
        let (tasks, receiver) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        for number in 0..count {
            let (receiver, factory) = (Arc::clone(&receiver), Arc::clone(&factory));
            std::thread::Builder::new()
                .name(format!("slot {number}"))
                .stack_size(STACK)
                .spawn(move || serve(&receiver, &factory))?;
        }
        Ok(Slots { tasks })
    }

    /// Does a job on a thread that is free.
    pub(super) async fn perform(&self, kind: String, body: Value, at: Circumstances) -> Performed {
        let (reply, performed) = oneshot::channel();
        let gone = || "the slot ended".to_owned();
        self.tasks.send(Task { kind, body, at, reply }).map_err(|_| gone())?;
        performed.await.unwrap_or_else(|_| Err(gone()))
    }
}

fn serve(tasks: &Mutex<Receiver<Task>>, factory: &Factory) {
    let mut performer = factory();
    loop {
        let next = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Task { kind, body, at, reply }) = next else { return };
        let performed = catch_unwind(AssertUnwindSafe(|| performer.perform(&kind, body, &at)));
        let performed = performed.unwrap_or_else(|_| {
            performer = factory();
            Err("it panicked".to_owned())
        });
        // Whoever asked may have given up.
        let _ = reply.send(performed);
    }
}
