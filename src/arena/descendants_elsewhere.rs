//! Ending an engine where there is no `/proc`: its process group, as far as the system has one.

use std::process::{Child, Command};

/// What marks the processes of one engine: nothing here.
pub(super) struct Mark;

impl Mark {
    /// Gives the program about to be started a process group of its own.
    pub(super) fn put(command: &mut Command) -> Mark {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let _ = command;
        Mark
    }
}

/// Not to be known here without reaping the process.
pub(super) fn exit_status(_child: &Child) -> Option<String> {
    None
}

/// Ends the leader and its group.
pub(super) fn end_all(child: &mut Child, _mark: &Mark) {
    // The child is not reaped yet, so its group's number is still its own.
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(child.id()) {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
