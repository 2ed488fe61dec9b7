//! The command line as a person or a script uses it: exit codes, the three ways to give a game, files
//! that are there only when they are complete, the pages that packages ship.

#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

fn kitai(arguments: &[&str], input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kitai"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads nothing closes its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A folder of its own for one test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("kitai-line-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_wrong_command_line_ends_with_two_and_a_missing_file_with_one() {
    for wrong in [
        &["nonsense"][..],
        &["move", "f5", "--set", "depth=99"],
        &["move", "f5", "--set", "dept=3"],
        &["move", "f5", "--config", "no-such-preset"],
        &["move", "f5a1"],
        &["show", "xyz"],
        &["show", "f5d6", "--at", "9"],
        &["analyze", "f5a1"],
        &["solve", "f5a1"],
        &["play", "--level", "11"],
        &["convert", "f5d6", "x.unknown"],
        &["match", "depth=1", "depth=x"],
        &["match", "depth=1", "depth=1", "--games", "3"],
        &["match", "depth=1", "depth=1", "--time", "soon"],
        &["gtp", "--listen", "nowhere"],
        &["gtp", "--log-level", "=="],
    ] {
        let ran = kitai(wrong, "");
        assert_eq!(ran.code, Some(2), "{wrong:?}: {}", ran.err);
        assert!(!ran.err.is_empty());
    }
    for failing in [&["show", "missing.ggf"][..], &["solve", "missing.obf"]] {
        assert_eq!(kitai(failing, "").code, Some(1), "{failing:?}");
    }
}

#[test]
fn a_game_may_be_text_a_file_or_standard_input() {
    let folder = Folder::new("inputs");
    let file = folder.file("game.ggf");
    let made = kitai(&["convert", "f5d6c3d3", &file], "");
    assert_eq!(made.code, Some(0), "{}", made.err);
    let text = std::fs::read_to_string(&file).unwrap();
    for command in [&["show"][..], &["move", "--set", "depth=1", "--json"], &["convert"]] {
        let outcome = |game: &str, input: &str| {
            let mut arguments = command.to_vec();
            arguments.insert(1, game);
            if command[0] == "convert" {
                arguments.extend(["-", "--to", "transcript"]);
            }
            let ran = kitai(&arguments, input);
            assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
            // What a search took differs from run to run.
            ran.out.split("\"seconds\"").next().unwrap().to_owned()
        };
        let inline = outcome("f5d6c3d3", "");
        assert!(!inline.is_empty());
        assert_eq!(outcome(&file, ""), inline, "{command:?}");
        assert_eq!(outcome("-", "f5d6c3d3\n"), inline, "{command:?}");
        assert_eq!(outcome("-", &text), inline, "{command:?}");
    }
    let solved = kitai(&["solve", "-", "--json"], &format!("XO{} X\n", "-".repeat(62)));
    assert!(solved.out.contains("\"score\":64.0"), "{} {}", solved.out, solved.err);
}

#[test]
fn an_output_without_a_directory_is_told_before_the_work() {
    let folder = Folder::new("outputs");
    let nowhere = folder.file("missing/out");
    for command in [
        &["convert", "f5d6", "--to", "ggf"][..],
        &["analyze", "f5d6", "--svg"],
        &["selfplay", "--games", "1000000000", "--output"],
    ] {
        let mut arguments = command.to_vec();
        let at = if command[0] == "convert" { 2 } else { arguments.len() };
        arguments.insert(at, &nowhere);
        let ran = kitai(&arguments, "");
        assert_eq!(ran.code, Some(1), "{arguments:?}");
        assert!(ran.err.contains("no such directory"), "{}", ran.err);
    }
}

#[test]
fn self_play_does_not_go_on_with_a_file_of_other_settings() {
    let folder = Folder::new("selfplay");
    let file = folder.file("games.kpos");
    let run = |depth: &str| {
        let settings = ["--depth", depth, "--exact-from", "2", "--games", "1"];
        kitai(&[&["selfplay", "--output", &file][..], &settings].concat(), "")
    };
    assert_eq!(run("1").code, Some(0));
    let before = std::fs::read(&file).unwrap();
    let other = run("2");
    assert_eq!(other.code, Some(1), "{}", other.out);
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn an_analysis_marks_mistakes_and_tells_the_accuracy() {
    let folder = Folder::new("analysis");
    let chart = folder.file("game.svg");
    let settings = ["--set", "depth=4", "--svg", &chart];
    // A random mover has Black.
    let game = "f5f6e6f4f3c5f7e3b5g7d2g3g5h4d6e2e1f8h8g4h2c4c3b3";
    let ran = kitai(&[&["analyze", game][..], &settings].concat(), "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("black: accuracy ") && ran.out.contains("white: accuracy "));
    assert!(ran.out.contains("?"), "{}", ran.out);
    let svg = std::fs::read_to_string(&chart).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("<circle"), "{svg}");
}

#[test]
fn help_comes_in_groups_and_the_manual_has_a_page_for_every_subcommand() {
    let help = kitai(&["--help"], "").out;
    for title in ["Play and analyse:", "Serve:", "Test engines:", "Research:", "Train:"] {
        assert!(help.contains(title), "{help}");
    }
    let folder = Folder::new("man");
    assert_eq!(kitai(&["man", &folder.file("")], "").code, Some(0));
    for page in ["kitai.1", "kitai-play.1", "kitai-match.1"] {
        let text = std::fs::read_to_string(Path::new(&folder.file(page))).unwrap();
        assert!(text.contains(".TH"), "{page}");
    }
}
