//! What jobs are about: one file per kind, with the worker's side and the coordinator's.

pub mod book;
pub mod games;
pub mod label;
pub mod selfplay;
pub mod solve;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::coordinator::TakeError;
use super::files::{Fetched, unpack};
use super::wire::Name;
use super::worker::{Circumstances, Factory, Performer};
use crate::arena::PlayerSpec;
use crate::options::Options;
use crate::search::mcts::MEMORY;
use crate::search::minimax::{HASH, THREADS};
use crate::search::{self, Method};

/// What a worker allows to the jobs on one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Memory of a player's or solver's tables, MiB.
    pub memory: u64,
    /// Search threads.
    pub threads: u64,
}

/// What a worker's slots have in common.
#[derive(Clone, Debug)]
pub struct Equipment {
    /// The external engines of this machine, by the names under which jobs ask for them.
    pub engines: BTreeMap<Name, PlayerSpec>,
    /// What jobs may use.
    pub caps: Caps,
}

impl Equipment {
    /// A performer of all kinds for each slot.
    pub fn factory(self) -> Factory {
        let equipment = Arc::new(self);
        Arc::new(move || {
            Box::new(AllKinds {
                equipment: Arc::clone(&equipment),
                table: Default::default(),
                scorer: None,
                solver: None,
            })
        })
    }

    /// Options that came over the wire, with files in place and within the caps.
    fn admit(&self, options: &Options, files: &Fetched) -> Result<Options, String> {
        let Caps { memory, threads } = self.caps;
        let options = unpack(options, files)?;
        let wanted = (options.get(&HASH) + options.get(&MEMORY)) as u64;
        if wanted > memory {
            return Err(format!("{wanted} MiB of tables are more than the {memory} allowed here"));
        }
        let wanted = options.get(&THREADS) as u64;
        if wanted > threads {
            return Err(format!("{wanted} threads are more than the {threads} allowed here"));
        }
        Ok(options)
    }
}

/// Does jobs of every kind; keeps the players and searchers of the last ones ready.
struct AllKinds {
    equipment: Arc<Equipment>,
    table: crate::arena::job::Table,
    scorer: Option<(String, crate::training::scorer::Scorer)>,
    solver: Option<(Options, Box<dyn Method>)>,
}

impl Performer for AllKinds {
    fn perform(
        &mut self,
        kind: &str,
        body: Value,
        at: &Circumstances,
    ) -> Result<Option<Value>, String> {
        match kind {
            book::KIND => book::perform(self, read(body)?, at).and_then(written),
            games::KIND => games::perform(self, read(body)?, at).and_then(written),
            selfplay::KIND => selfplay::perform(self, read(body)?, at).and_then(written),
            label::KIND => label::perform(self, read(body)?, at).and_then(written),
            solve::KIND => solve::perform(self, read(body)?, at).and_then(written),
            other => Err(format!("unknown kind of work `{other}`")),
        }
    }
}

impl AllKinds {
    /// A method with these options, the last one if they are the same.
    fn solver(&mut self, options: &Options) -> Result<&mut dyn Method, String> {
        let kept = self.solver.take().filter(|(kept, _)| kept == options);
        let (_, method) = match kept {
            Some(kept) => self.solver.insert(kept),
            None => {
                let method = search::build(options).map_err(|error| error.to_string())?;
                self.solver.insert((options.clone(), method))
            }
        };
        Ok(method.as_mut())
    }
}

fn read<T: DeserializeOwned>(body: Value) -> Result<T, String> {
    serde_json::from_value(body).map_err(|error| format!("not understood: {error}"))
}

fn written<T: Serialize>(result: Option<T>) -> Result<Option<Value>, String> {
    result.map(|result| serde_json::to_value(result).map_err(|e| e.to_string())).transpose()
}

/// Reads what a worker says it found.
fn result<T: DeserializeOwned>(value: Value) -> Result<T, TakeError> {
    serde_json::from_value(value).map_err(|error| refused(format!("not understood: {error}")))
}

fn refused(reason: impl Into<String>) -> TakeError {
    TakeError::Refused(reason.into())
}

/// Results that are wanted in order, whatever order they come in.
#[derive(Debug)]
struct InOrder<T> {
    /// The first that is not written.
    next: u64,
    /// The first that was not handed out.
    handed: u64,
    waiting: BTreeMap<u64, T>,
}

impl<T> InOrder<T> {
    fn from(next: u64) -> InOrder<T> {
        InOrder { next, handed: next, waiting: BTreeMap::new() }
    }

    /// The next of so many that is to be handed out.
    fn hand_out(&mut self, total: u64) -> Option<u64> {
        while self.is_known(self.handed) {
            self.handed += 1;
        }
        let number = Some(self.handed).filter(|&number| number < total)?;
        self.handed += 1;
        Some(number)
    }

    fn is_known(&self, number: u64) -> bool {
        number < self.next || self.waiting.contains_key(&number)
    }

    fn put(&mut self, number: u64, result: T) {
        self.waiting.insert(number, result);
    }

    /// The next in order, if it is here.
    fn pop(&mut self) -> Option<T> {
        let result = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some(result)
    }

    fn done(&self) -> u64 {
        self.next + self.waiting.len() as u64
    }
}
