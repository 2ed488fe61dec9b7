//! One download that starts on every 64-bit PC and is fast on each: a portable build looks for a
//! faster build of itself and hands over to it.
//!
//! Packages hold `kitai` for the x86-64 level v2 and beside it, or in `../lib/kitai`, `kitai-v3` and
//! `kitai-v4`. The environment variable `KITAI_BUILD=own` keeps the build that was started. A build
//! for the machine at hand, or one without companions, goes on by itself; so does any other system.

use std::path::{Path, PathBuf};

/// Keeps the build that was started if it is `own`.
const VARIABLE: &str = "KITAI_BUILD";

/// The x86-64 level that this build needs; 2 stands for any lower one.
const OWN_LEVEL: u32 = if cfg!(all(
    target_feature = "avx512f",
    target_feature = "avx512bw",
    target_feature = "avx512cd",
    target_feature = "avx512dq",
    target_feature = "avx512vl"
)) {
    4
} else if cfg!(all(
    target_feature = "avx2",
    target_feature = "bmi1",
    target_feature = "bmi2",
    target_feature = "fma",
    target_feature = "lzcnt"
)) {
    3
} else {
    2
};

/// Kitai's version and which build of it this is.
pub const VERSION: &str = if cfg!(not(target_arch = "x86_64")) {
    concat!(env!("CARGO_PKG_VERSION"), " (portable)")
} else if OWN_LEVEL == 4 {
    concat!(env!("CARGO_PKG_VERSION"), " (x86-64 v4)")
} else if OWN_LEVEL == 3 {
    concat!(env!("CARGO_PKG_VERSION"), " (x86-64 v3)")
} else {
    concat!(env!("CARGO_PKG_VERSION"), " (x86-64 v2 or lower)")
};

/// Hands over to the fastest build of Kitai at hand that this CPU runs, if that is not this one;
/// returns if it is, or if the other cannot be started.
pub fn hand_over() {
    if std::env::var_os(VARIABLE).is_some_and(|value| value == "own") {
        return;
    }
    let Ok(own) = std::env::current_exe().and_then(std::fs::canonicalize) else { return };
    let Some(folder) = own.parent() else { return };
    if let Some(faster) = faster_build(folder, OWN_LEVEL, cpu_level(), &|path| path.is_file()) {
        run_instead(&faster);
    }
}

/// The best build above `own` that the CPU runs and that is there.
fn faster_build(
    folder: &Path,
    own: u32,
    cpu: u32,
    is_there: &dyn Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let ending = std::env::consts::EXE_SUFFIX;
    let places = [folder.to_owned(), folder.join("../lib/kitai")];
    (own + 1..=cpu)
        .rev()
        .flat_map(|level| {
            let name = format!("kitai-v{level}{ending}");
            places.iter().map(move |place| place.join(&name)).collect::<Vec<_>>()
        })
        .find(|path| is_there(path))
}

/// The x86-64 level of this machine; 0 elsewhere.
fn cpu_level() -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        let v3 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("movbe");
        let v4 = v3
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if v4 {
            4
        } else if v3 {
            3
        } else {
            2
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        0
    }
}

/// Becomes that program, with the same arguments; returns only if it cannot be started.
#[cfg(unix)]
fn run_instead(program: &Path) {
    use std::os::unix::process::CommandExt;
    let mut arguments = std::env::args_os();
    let mut command = std::process::Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // What it says is of no use to anyone: this build does the work as well.
    let _ = command.args(arguments).exec();
}

/// Runs that program with the same arguments and streams and ends as it ends; returns only if it
/// cannot be started.
#[cfg(not(unix))]
fn run_instead(program: &Path) {
    let arguments = std::env::args_os().skip(1);
    if let Ok(status) = std::process::Command::new(program).args(arguments).status() {
        std::process::exit(status.code().unwrap_or(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_names_the_build() {
        let needs_avx2 = VERSION.ends_with("v3)") || VERSION.ends_with("v4)");
        assert_eq!(
            needs_avx2,
            cfg!(all(target_feature = "avx2", target_feature = "bmi2")),
            "{VERSION}"
        );
    }

    #[test]
    fn the_best_build_that_is_there_and_runs_is_taken() {
        let folder = Path::new("/opt/bin");
        let ending = std::env::consts::EXE_SUFFIX;
        let found = |own, cpu, there: &[&str]| {
            let there: Vec<PathBuf> =
                there.iter().map(|path| PathBuf::from(format!("{path}{ending}"))).collect();
            faster_build(folder, own, cpu, &|path| there.iter().any(|known| known == path))
        };
        let both = ["/opt/bin/kitai-v3", "/opt/bin/../lib/kitai/kitai-v4"];
        assert_eq!(found(2, 4, &both), Some(PathBuf::from(format!("{}{ending}", both[1]))));
        assert_eq!(found(2, 3, &both), Some(PathBuf::from(format!("{}{ending}", both[0]))));
        assert_eq!(found(4, 4, &both), None);
        assert_eq!(found(2, 2, &both), None);
        assert_eq!(found(3, 4, &both[..1]), None);
    }
}
