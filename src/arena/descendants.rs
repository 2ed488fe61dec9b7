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
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::{Pid, getpgrp, getpid};

/// The variable that marks an engine and its descendants.
const MARK: &str = "KITAI_ENGINE";

/// How often processes are looked for before those that will not go are given up.
const MOST_LOOKS: usize = 200;
/// How long a process that is just becoming another program is left alone before the next look.
const BECOMING: Duration = Duration::from_millis(1);

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

    /// The running processes that carry the mark, and whether there are any that may.
    fn bearers(&self) -> (Vec<Pid>, bool) {
        let mut found = Vec::new();
        let mut is_unclear = false;
        for pid in processes() {
            let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { continue };
            if self.is_in(&environment) {
                found.push(pid);
            } else if environment.is_empty() {
                is_unclear |= Status::of(pid).is_some_and(|status| status.hides_environment);
            }
        }
        (found, is_unclear)
    }

    fn is_in(&self, environment: &[u8]) -> bool {
        let variable = environment
            .split(|&byte| byte == 0)
            .find_map(|entry| entry.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="));
        variable.is_some_and(|marks| {
            marks.split(|&byte| byte == b' ').any(|mark| mark == self.0.as_bytes())
        })
    }
}

/// What `/proc/PID/stat` tells of a process.
#[derive(Debug, PartialEq, Eq)]
struct Status {
    is_zombie: bool,
    parent: Pid,
    group: Pid,
    /// Whether an environment that reads as empty may not be: for a moment of `execve` a process
    /// has memory, and nothing shows whose mark it carries.
    hides_environment: bool,
}

impl Status {
    fn of(pid: Pid) -> Option<Status> {
        Status::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(text: &str) -> Option<Status> {
        // The name, in brackets, may hold anything. After it the third field of proc(5) follows.
        let fields: Vec<&str> = text.rsplit_once(") ")?.1.split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).copied();
        let pid = |number| Some(Pid::from_raw(field(number)?.parse().ok()?));
        Some(Status {
            is_zombie: field(3)? == "Z",
            parent: pid(4)?,
            group: pid(5)?,
            hides_environment: field(23)? != "0" && (field(51)? == "0" || field(50)? != field(51)?),
        })
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
        let (found, is_unclear) = mark.bearers();
        let _ = killpg(leader, Signal::SIGKILL);
        for &pid in &found {
            let _ = kill(pid, Signal::SIGKILL);
        }
        left.extend(found.iter().filter(|&&pid| pid != leader));
        match (found.is_empty(), is_unclear) {
            (true, false) => break,
            (true, true) => std::thread::sleep(BECOMING),
            (false, _) => {}
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
        let Some(status) = Status::of(pid) else { continue };
        let orphan = status.is_zombie && status.parent == parent && status.group != group;
        if orphan && !super::process::is_leader(pid.as_raw() as u32) {
            let _ = waitpid(pid, Some(WaitPidFlag::WNOHANG));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_process_is_read_behind_any_name() {
        // Fields 6 to 22, 24 to 49 and 52 do not matter here.
        let text = |vsize: &str, env_start: &str, env_end: &str| {
            let (middle, late) = (vec!["7"; 17].join(" "), vec!["7"; 26].join(" "));
            format!("12 (a ) Z b) S 34 56 {middle} {vsize} {late} {env_start} {env_end} 0\n")
        };
        let settled = Status {
            is_zombie: false,
            parent: Pid::from_raw(34),
            group: Pid::from_raw(56),
            hides_environment: false,
        };
        let hides = |text: &str| Status::parse(text).unwrap().hides_environment;
        assert_eq!(Status::parse(&text("4096", "9000", "9000")), Some(settled));
        assert!(hides(&text("4096", "0", "0")), "in the middle of execve");
        assert!(hides(&text("4096", "9000", "9100")), "behind it by now");
        assert!(!hides(&text("0", "0", "0")), "a thread of the kernel");
        assert_eq!(Status::parse("12 (short) S 1 2 3"), None);
        let me = Status::of(getpid()).unwrap();
        assert!(!me.is_zombie);
        assert_eq!((me.parent, me.group), (nix::unistd::getppid(), getpgrp()));
    }
}
