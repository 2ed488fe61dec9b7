//! What sockets and pipes are asked besides reading and writing.

use tokio::net::TcpStream;

use super::conversation::ReaderGone;

/// How long a connection may be silent before the system asks whether the other side is alive, seconds.
#[cfg(target_os = "linux")]
const KEEPALIVE: u32 = 60;

/// Prepares a connection for a conversation of short lines: replies go at once, and a peer that
/// vanished without a word is found out.
///
/// # Errors
/// If the connection is gone already.
pub(super) fn prepare(stream: &TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    #[cfg(target_os = "linux")]
    {
        use nix::sys::socket::{setsockopt, sockopt};
        setsockopt(stream, sockopt::KeepAlive, &true)?;
        setsockopt(stream, sockopt::TcpKeepIdle, &KEEPALIVE)?;
        setsockopt(stream, sockopt::TcpKeepInterval, &(KEEPALIVE / 6))?;
        setsockopt(stream, sockopt::TcpKeepCount, &3)?;
    }
    Ok(())
}

/// Tells whether whoever reads standard output has gone.
#[cfg(unix)]
pub(super) fn stdout_reader() -> ReaderGone {
    Box::new(|| is_broken(&std::io::stdout()))
}

/// Tells whether the other side of a connection has gone for good. One that only sends nothing
/// more has not: it may still read.
///
/// # Errors
/// If the system is out of descriptors.
#[cfg(unix)]
pub(super) fn reader_of(stream: &TcpStream) -> std::io::Result<ReaderGone> {
    use std::os::fd::AsFd;
    let socket = stream.as_fd().try_clone_to_owned()?;
    Ok(Box::new(move || is_broken(&socket)))
}

#[cfg(unix)]
fn is_broken(stream: &impl std::os::fd::AsFd) -> bool {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    let mut asked = [PollFd::new(stream.as_fd(), PollFlags::empty())];
    let broken = PollFlags::POLLERR | PollFlags::POLLHUP | PollFlags::POLLNVAL;
    poll(&mut asked, PollTimeout::ZERO).is_ok_and(|count| count > 0)
        && asked[0].revents().is_some_and(|events| events.intersects(broken))
}

/// Not known on this system before something is written.
#[cfg(not(unix))]
pub(super) fn stdout_reader() -> ReaderGone {
    Box::new(|| false)
}

/// Not known on this system before something is written.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub(super) fn reader_of(_: &TcpStream) -> std::io::Result<ReaderGone> {
    Ok(Box::new(|| false))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use nix::sys::socket::{getsockopt, sockopt};

    #[test]
    fn a_prepared_connection_asks_whether_its_peer_is_alive() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            assert!(!getsockopt(&stream, sockopt::KeepAlive).unwrap());
            prepare(&stream).unwrap();
            assert!(getsockopt(&stream, sockopt::KeepAlive).unwrap());
            assert_eq!(getsockopt(&stream, sockopt::TcpKeepIdle).unwrap(), 60);
            assert_eq!(getsockopt(&stream, sockopt::TcpKeepInterval).unwrap(), 10);
            assert_eq!(getsockopt(&stream, sockopt::TcpKeepCount).unwrap(), 3);
        });
    }
}
