//! SIGINT and SIGTERM as a value that becomes true.

use tokio::sync::watch;

/// Becomes true when the process is asked to end.
///
/// # Errors
/// If the signals cannot be watched.
pub(crate) fn shutdown() -> std::io::Result<watch::Receiver<bool>> {
    let (sender, receiver) = watch::channel(false);
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            tracing::info!("asked to end by a signal");
            // Nobody listening means that everything has ended already.
            let _ = sender.send(true);
        });
    }
    #[cfg(not(unix))]
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            let _ = sender.send(true);
        }
    });
    Ok(receiver)
}
