//! Runs the examples of README.md and docs/ against the binary, so that they cannot rot.
//!
//! In a block marked `console`, a line after `$ ` is run by a shell that finds `kitai` first; the lines
//! up to the next one are what it must print. `…` stands for anything within a line, a line of only
//! `…` for any number of lines. Blanks at the end of lines do not matter.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

/// The commands of a page with what they print.
fn examples(page: &str) -> Vec<(String, Vec<String>)> {
    let mut examples: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            examples.push((command.to_owned(), Vec::new()));
        } else if let (true, Some((_, printed))) = (inside, examples.last_mut()) {
            printed.push(line.trim_end().to_owned());
        }
    }
    examples
}

/// Whether a line fits a pattern with `…` in it.
fn fits(pattern: &str, line: &str) -> bool {
    match pattern.split_once('…') {
        None => pattern == line,
        Some((start, rest)) => line.strip_prefix(start).is_some_and(|tail| {
            (0..=tail.len())
                .filter(|&at| tail.is_char_boundary(at))
                .any(|at| fits(rest, &tail[at..]))
        }),
    }
}

fn all_fit(patterns: &[String], lines: &[&str]) -> bool {
    match (patterns.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((any, rest)), _) if any == "…" => {
            (0..=lines.len()).any(|skipped| all_fit(rest, &lines[skipped..]))
        }
        (Some((pattern, patterns)), Some((line, lines))) => {
            fits(pattern, line) && all_fit(patterns, lines)
        }
        _ => false,
    }
}

fn without_blank_end<T: AsRef<str>>(lines: &[T]) -> &[T] {
    let end = lines.iter().rposition(|line| !line.as_ref().is_empty()).map_or(0, |last| last + 1);
    &lines[..end]
}

#[test]
fn every_example_of_the_documentation_prints_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let binary = Path::new(env!("CARGO_BIN_EXE_kitai"));
    let paths = [binary.parent().unwrap().to_owned(), "/usr/bin".into(), "/bin".into()];
    let path = std::env::join_paths(paths).unwrap();
    let mut run = 0;
    for page in [
        "README.md",
        "docs/book.md",
        "docs/commands.md",
        "docs/protocols.md",
        "docs/science.md",
        "docs/matches.md",
    ] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        for (command, printed) in examples(&text) {
            let done = Command::new("sh").args(["-c", &command]).env("PATH", &path).output();
            let output = String::from_utf8(done.unwrap().stdout).unwrap();
            let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
            let fitting = all_fit(without_blank_end(&printed), without_blank_end(&lines));
            assert!(fitting, "{page}: $ {command}\nexpected {printed:#?}\ngot {lines:#?}");
            run += 1;
        }
    }
    assert!(run >= 8, "only {run} examples were found");
}

#[test]
fn a_wrong_line_is_noticed() {
    let page = "```console\n$ a\nx … z\n…\nend\n```\n$ not run\n";
    let [(command, printed)] = &examples(page)[..] else { panic!("one example") };
    assert_eq!(command, "a");
    assert!(all_fit(printed, &["x y z", "1", "2", "end"]));
    assert!(all_fit(printed, &["x  z", "end"]));
    assert!(!all_fit(printed, &["x y", "end"]));
    assert!(!all_fit(printed, &["x y z", "the end"]));
}

#[test]
fn the_levels_have_the_ratings_that_their_page_tells() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/levels.md")).unwrap();
    for level in 0..=10 {
        let file = root.join(format!("configs/level-{level}.toml"));
        let preset: toml::Table = std::fs::read_to_string(file).unwrap().parse().unwrap();
        let rating = preset["rating"].as_integer().unwrap();
        assert!(page.contains(&format!("| `level-{level}` | {rating} | ±")), "level {level}");
    }
}
