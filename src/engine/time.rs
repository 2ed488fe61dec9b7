//! Where measured time comes from, so that a test can let it pass.

use std::time::Instant;

/// Something that knows what time it is.
pub trait TimeSource: Send + Sync {
    /// The time now; never earlier than what was said before.
    fn now(&self) -> Instant;

    /// Whether a time has come; for waiting, asked again and again.
    fn has_passed(&self, until: Instant) -> bool {
        self.now() >= until
    }
}

/// The machine's own steady clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealTime;

impl TimeSource for RealTime {
    fn now(&self) -> Instant {
        Instant::now()
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use std::sync::Mutex;
    use std::time::Duration;

    /// A clock that only moves when someone looks at it.
    pub(crate) struct TestTime {
        now: Mutex<Instant>,
        step: Duration,
        wait: Duration,
    }

    impl TestTime {
        /// A clock that moves on by `step` each time someone asks what time it is.
        pub(crate) fn stepping(step: Duration) -> TestTime {
            TestTime { now: Mutex::new(Instant::now()), step, wait: Duration::ZERO }
        }

        /// A clock that moves on by `wait` each time someone who waits looks whether it is time.
        pub(crate) fn waiting(wait: Duration) -> TestTime {
            TestTime { wait, ..TestTime::stepping(Duration::ZERO) }
        }

        fn advance(&self, by: Duration) -> Instant {
            let mut now = self.now.lock().unwrap();
            *now += by;
            *now
        }
    }

    impl TimeSource for TestTime {
        fn now(&self) -> Instant {
            self.advance(self.step)
        }

        fn has_passed(&self, until: Instant) -> bool {
            self.advance(self.wait) >= until
        }
    }
}
