//! Dependencies point down the plan of the house in `src/lib.rs`, and nowhere else.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The rooms from the street inward, as the table in `src/lib.rs` names them.
fn plan(lib: &str) -> Vec<String> {
    lib.lines()
        .filter_map(|line| line.strip_prefix("//! | ")?.split('|').next())
        .filter(|cell| cell.contains('`'))
        .map(|cell| cell.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned())
        .collect()
}

/// The files of the program: modules that only tests have are left out.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let texts = entries.iter().filter(|path| path.extension().is_some_and(|e| e == "rs"));
    let texts: String = texts.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    for path in entries {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mark = "#[cfg(test)]\n";
        let only_tests = ["mod", "pub mod", "pub(crate) mod", "pub(super) mod"]
            .iter()
            .any(|word| texts.contains(&format!("{mark}{word} {name};")));
        let with_target = texts.contains(&format!("#[cfg(target_os = \"linux\")]\nmod {name};"));
        if only_tests || with_target && texts.contains(mark) {
            continue;
        }
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The rooms that a file's code names, with the line; comments and tests do not count.
fn named(text: &str) -> Vec<(usize, String)> {
    let program = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut rooms = Vec::new();
    for (number, line) in program.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        for part in code.split("crate::").skip(1) {
            let room: String =
                part.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            rooms.push((number + 1, room));
        }
    }
    rooms
}

#[test]
fn dependencies_point_down_the_plan() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let plan = plan(&std::fs::read_to_string(source.join("lib.rs")).unwrap());
    let depth: BTreeMap<&str, usize> = plan.iter().map(String::as_str).zip(0..).collect();
    let mut all = Vec::new();
    files(&source, &mut all);
    let (mut wrong, mut looked_at) = (Vec::new(), 0);
    for file in &all {
        let place = file.strip_prefix(&source).unwrap();
        let first = place.components().next().unwrap().as_os_str().to_string_lossy();
        let room = first.trim_end_matches(".rs");
        if ["lib", "main"].contains(&room) {
            continue;
        }
        let Some(own) = depth.get(room) else {
            wrong.push(format!("{room} is not in the plan"));
            continue;
        };
        for (line, other) in named(&std::fs::read_to_string(file).unwrap()) {
            let Some(its) = depth.get(other.as_str()) else { continue };
            looked_at += 1;
            if its < own {
                wrong.push(format!("{}:{line}: {room} uses {other} above it", place.display()));
            }
        }
    }
    assert!(looked_at > 300, "only {looked_at} uses were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn uses_in_tests_and_comments_do_not_count_and_others_do() {
    let text = "use crate::eval;\n// crate::cli\nlet x = crate::search::build;\n\
                #[cfg(test)]\nmod tests {\n    use crate::lab;\n}";
    assert_eq!(named(text), [(1, "eval".to_owned()), (3, "search".to_owned())]);
}
