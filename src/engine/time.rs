//! Where measured time comes from, so that a test can let it pass.

use std::time::Instant;

/// Something that knows what time it is.
pub trait TimeSource: Send + Sync {
    /// The time now; never earlier than what was said before.
    fn now(&self) -> Instant;
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

    /// A clock that stands still until the test moves it on, or moves on by itself with each look.
    pub(crate) struct TestTime {
        now: Mutex<Instant>,
        step: Duration,
    }

    impl TestTime {
        /// A clock that moves on by `step` each time someone looks at it.
        pub(crate) fn stepping(step: Duration) -> TestTime {
            TestTime { now: Mutex::new(Instant::now()), step }
        }
    }

    impl TimeSource for TestTime {
        fn now(&self) -> Instant {
            let mut now = self.now.lock().unwrap();
            *now += self.step;
            *now
        }
    }
}
