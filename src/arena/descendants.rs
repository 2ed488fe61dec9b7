//! Ending an engine with everything it started.
//!
//! Killing the process group is not enough: a wrapper may exit first, and a child that called
//! `setsid` has left the group. So every engine carries a mark in its environment, which its
//! descendants inherit and by which `/proc` finds them; and this process is made the reaper of all
//! its orphans, so that none becomes a zombie of somebody else. A descendant that throws its
//! environment away *and* leaves the group is out of reach.
//!
//! The leader stays unreaped until the end, so that its number, which is also the group's, cannot
//! be given to anyone else in the meantime.

use std::fs;
use std::process::{Child, Command};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::{Pid, getpgrp, getpid};

/// The variable that marks an engine and its descendants.
const MARK: &str = "KITAI_ENGINE";

/// How often processes are looked for before those that will not go are given up.
const MOST_LOOKS: usize = 200;

/// What marks the processes of one engine.
pub(super) struct Mark(String);

impl Mark {
    /// A new mark on the program about to be started, which gets a process group of its own.
    pub(super) fn put(command: &mut Command) -> Mark {
        static ADOPT: Once = Once::new();
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Without it orphans go to the system's first process, which reaps them as well.
        ADOPT.call_once(|| {
            let _ = nix::sys::prctl::set_child_subreaper(true);
        });
        let value = format!("{}-{}", getpid(), NEXT.fetch_add(1, Ordering::Relaxed));
        std::os::unix::process::CommandExt::process_group(command, 0);
        // A Kitai that is itself somebody's engine passes that mark on beside its own.
        let outer = std::env::var(MARK).unwrap_or_default();
        command.env(MARK, format!("{outer} {value}"));
        Mark(value)
    }

    /// The running processes that carry the mark.
    fn bearers(&self) -> Vec<Pid> {
        let carries = |pid: &Pid| {
            fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
                let variable = environment
                    .split(|&byte| byte == 0)
                    .find_map(|entry| entry.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="));
                variable.is_some_and(|marks| {
                    marks.split(|&byte| byte == b' ').any(|mark| mark == self.0.as_bytes())
                })
            })
        };
        processes().filter(carries).collect()
    }
}

fn processes() -> impl Iterator<Item = Pid> {
    let numbered = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(numbered).map(Pid::from_raw)
}

/// How the leader ended, if it has; it stays to be reaped.
pub(super) fn exit_status(child: &Child) -> Option<String> {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | WaitPidFlag::WNOHANG;
    match waitid(Id::Pid(pid_of(child)), flags) {
        Ok(WaitStatus::Exited(_, code)) => Some(format!("exit status: {code}")),
        Ok(WaitStatus::Signaled(_, signal, _)) => {
            Some(format!("signal: {} ({signal})", signal as i32))
        }
        _ => None,
    }
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_raw(child.id() as i32)
}

/// Ends the leader, its group and every descendant, and reaps them.
pub(super) fn end_all(child: &mut Child, mark: &Mark) {
    let leader = pid_of(child);
    let mut left: Vec<Pid> = Vec::new();
    // More than once because a process may start another between the look and the signal.
    for _ in 0..MOST_LOOKS {
        // Looked for before the group dies: what is dying has no environment any more.
        let found = mark.bearers();
        let _ = killpg(leader, Signal::SIGKILL);
        for &pid in &found {
            let _ = kill(pid, Signal::SIGKILL);
        }
        left.extend(found.iter().filter(|&&pid| pid != leader));
        if found.is_empty() {
            break;
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    left.sort_unstable();
    left.dedup();
    reap(left);
    reap_orphans();
}

/// Waits for killed processes. Each becomes ours when its parent has been reaped.
fn reap(mut left: Vec<Pid>) {
    loop {
        let before = left.len();
        left.retain(|&pid| matches!(waitpid(pid, None), Err(Errno::ECHILD | Errno::EINTR)));
        if left.is_empty() || left.len() == before {
            return;
        }
    }
}

/// Reaps adopted processes that ended by themselves. Children that other code of this process has
/// started are in its own group and are left to it.
fn reap_orphans() {
    let (parent, group) = (getpid(), getpgrp());
    for pid in processes() {
        let Ok(text) = fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        // The name, in brackets, may hold anything; then: state, parent, group.
        let Some((_, fields)) = text.rsplit_once(") ") else { continue };
        let mut fields = fields.split(' ');
        let is_zombie = fields.next() == Some("Z");
        let mut number = || fields.next().and_then(|text| text.parse().ok()).map(Pid::from_raw);
        let orphan = is_zombie && number() == Some(parent) && number() != Some(group);
        if orphan && !super::process::is_leader(pid.as_raw() as u32) {
            let _ = waitpid(pid, Some(WaitPidFlag::WNOHANG));
        }
    }
}
