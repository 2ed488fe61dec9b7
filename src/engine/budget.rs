//! How much memory and how many threads engines may use together.
//!
//! A server's clients share one [`Budget`]. What the server's own options need is set aside for
//! every client it takes, so that nobody is locked out; what a client wants beyond that comes from
//! a common rest. Memory is promised only as far as the machine has it: the system may hand out
//! more than there is and end the whole process when it is used.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::memory;
use crate::options::{OptionError, Options, TypedOption};
use crate::search;
use crate::search::mcts::MEMORY;
use crate::search::minimax::{HASH, THREADS};

/// Options that size memory, in MiB.
static MEMORY_OPTIONS: [&TypedOption<i64>; 2] = [&HASH, &MEMORY];

/// What engines may use together. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    /// What everybody may use without asking.
    granted: Need,
    rest: Mutex<Need>,
}

/// Memory in MiB, and threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Need {
    mebibytes: u64,
    threads: u64,
}

impl Need {
    fn of(options: &Options) -> Need {
        Need {
            mebibytes: MEMORY_OPTIONS.iter().map(|option| wanted(options, option)).sum(),
            threads: wanted(options, &THREADS),
        }
    }

    fn beyond(self, granted: Need) -> Need {
        Need {
            mebibytes: self.mebibytes.saturating_sub(granted.mebibytes),
            threads: self.threads.saturating_sub(granted.threads),
        }
    }
}

impl Budget {
    /// All the memory of the machine, any number of threads: for a single user's own engine.
    pub fn unlimited() -> Budget {
        Budget::of(
            Need { mebibytes: 0, threads: 0 },
            Need { mebibytes: memory::physical_mebibytes(), threads: u64::MAX },
        )
    }

    /// For so many clients of a server, all beginning with these options: `mebibytes` and
    /// `threads` in all, less what the clients begin with.
    ///
    /// # Errors
    /// If that does not even suffice for what they begin with.
    pub fn shared(
        options: &Options,
        clients: usize,
        mebibytes: u64,
        threads: u64,
    ) -> Result<Budget, OptionError> {
        let granted = Need::of(options);
        let together = granted.mebibytes.saturating_mul(clients as u64);
        if together > mebibytes {
            return Err(OptionError::Unusable {
                name: memory_option(options),
                reason: format!(
                    "{clients} clients with {} MiB each need {together} MiB, more than the \
                     {mebibytes} MiB allowed",
                    granted.mebibytes
                ),
            });
        }
        let rest = Need {
            mebibytes: mebibytes - together,
            threads: threads.saturating_sub(granted.threads.saturating_mul(clients as u64)),
        };
        Ok(Budget::of(granted, rest))
    }

    fn of(granted: Need, rest: Need) -> Budget {
        Budget(Arc::new(Pool { granted, rest: Mutex::new(rest) }))
    }

    /// Sets aside what a method with these options needs, until the reservation is dropped.
    ///
    /// # Errors
    /// If there is not so much left.
    pub(super) fn reserve(&self, options: &Options) -> Result<Reservation, OptionError> {
        let need = Need::of(options).beyond(self.0.granted);
        let mut rest = self.0.lock();
        let refused = |name, wanted: u64, unit: &str, left: u64| OptionError::Unusable {
            name,
            reason: format!("{wanted} {unit}more than granted are needed, {left} are left"),
        };
        if need.mebibytes > rest.mebibytes {
            let name = memory_option(options);
            return Err(refused(name, need.mebibytes, "MiB ", rest.mebibytes));
        }
        if need.threads > rest.threads {
            return Err(refused(THREADS.spec.name, need.threads, "", rest.threads));
        }
        *rest = rest.beyond(need);
        Ok(Reservation { budget: self.clone(), need })
    }
}

/// The memory option that the method heeds and that asks for most.
fn memory_option(options: &Options) -> &'static str {
    let more = wanted(options, &MEMORY) > wanted(options, &HASH);
    if more { MEMORY.spec.name } else { HASH.spec.name }
}

/// The value of an option if the method heeds it, otherwise nothing.
fn wanted(options: &Options, option: &TypedOption<i64>) -> u64 {
    let heeded = search::chosen(options).is_ok_and(|method| method.heeds(&option.spec));
    if heeded { options.get(option).max(0) as u64 } else { 0 }
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Need> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Part of a budget, given back when dropped.
#[derive(Debug)]
pub(super) struct Reservation {
    budget: Budget,
    need: Need,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut rest = self.budget.0.lock();
        rest.mebibytes = rest.mebibytes.saturating_add(self.need.mebibytes);
        rest.threads = rest.threads.saturating_add(self.need.threads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(settings: &[(&str, &str)]) -> Options {
        let mut options = Options::new();
        for (name, value) in settings {
            options.set(name, value).unwrap();
        }
        options
    }

    #[test]
    fn what_clients_begin_with_is_always_there_and_the_rest_is_shared() {
        let base = options(&[("hash", "10")]);
        let budget = Budget::shared(&base, 3, 100, 4).unwrap();
        let greedy = budget.reserve(&options(&[("hash", "80")])).unwrap();
        let refused = budget.reserve(&options(&[("hash", "11")])).unwrap_err().to_string();
        assert_eq!(refused, "option `hash`: 1 MiB more than granted are needed, 0 are left");
        let _others = [budget.reserve(&base).unwrap(), budget.reserve(&base).unwrap()];
        drop(greedy);
        assert!(budget.reserve(&options(&[("hash", "80")])).is_ok());
        assert!(Budget::shared(&base, 11, 100, 4).is_err());
    }

    #[test]
    fn threads_beyond_the_granted_ones_are_shared_too() {
        let budget = Budget::shared(&Options::new(), 2, 1000, 4).unwrap();
        let three = budget.reserve(&options(&[("threads", "3")])).unwrap();
        let refused = budget.reserve(&options(&[("threads", "2")])).unwrap_err().to_string();
        assert!(refused.starts_with("option `threads`: 1 more"), "{refused}");
        drop(three);
        assert!(budget.reserve(&options(&[("threads", "2")])).is_ok());
    }

    #[test]
    fn only_what_the_method_uses_counts() {
        let uct = options(&[("method", "uct"), ("hash", "65536"), ("memory", "5")]);
        assert_eq!(Need::of(&uct).mebibytes, 5);
        assert_eq!(memory_option(&uct), "memory");
    }

    #[test]
    fn no_budget_has_more_memory_than_the_machine() {
        if memory::physical_mebibytes() < 65_536 {
            let refused = Budget::unlimited().reserve(&options(&[("hash", "65536")]));
            assert!(refused.unwrap_err().to_string().starts_with("option `hash`"));
        }
    }
}
