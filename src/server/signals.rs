//! SIGINT and SIGTERM (elsewhere than on Unix: Ctrl-C) as a value that becomes true.

use tokio::sync::watch;

/// Becomes true when the process is asked to end.
///
/// # Errors
/// If the signals cannot be watched.
pub(crate) fn shutdown() -> std::io::Result<watch::Receiver<bool>> {
    let (sender, receiver) = watch::channel(false);
    let mut asked = Asked::new()?;
    tokio::spawn(async move {
        asked.next().await;
        tracing::info!("asked to end by a signal");
        // Nobody listening means that everything has ended already.
        let _ = sender.send(true);
    });
    Ok(receiver)
}

/// Calls `asked` on a thread of its own whenever the process is asked to end; from now on the
/// signals do nothing else. For work that stops cleanly by itself.
///
/// # Errors
/// If the system refuses a thread or the signals cannot be watched.
pub fn on_interrupt(asked: impl Fn() + Send + 'static) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let watching = {
        let _inside = runtime.enter();
        Asked::new()?
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut watching = watching;
        runtime.block_on(async {
            loop {
                watching.next().await;
                asked();
            }
        });
    })?;
    Ok(())
}

/// The signals that ask a process to end.
#[cfg(unix)]
struct Asked {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Asked {
    fn new() -> std::io::Result<Asked> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Asked {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Ctrl-C, where there are no signals.
#[cfg(not(unix))]
struct Asked;

#[cfg(not(unix))]
impl Asked {
    fn new() -> std::io::Result<Asked> {
        Ok(Asked)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            // It cannot be watched: nobody will ever ask this way.
            std::future::pending::<()>().await;
        }
    }
}
