//! The board in a web page: the rules, the board and the replay of a game, as scripts without any
//! dependency. The page of `kitai web` imports them as modules; a report carries them inside.

/// The rules of Othello (tests compare them with [`crate::othello`] in a browser).
pub const RULES: &str = include_str!("rules.js");
/// Draws a board.
pub const BOARD: &str = include_str!("board.js");
/// Replays games with both players' values.
pub const REPLAY: &str = include_str!("replay.js");
/// How boards look.
pub const STYLE: &str = include_str!("board.css");

/// The scripts as one, for a page that carries everything inside: without `import` and `export`,
/// which only files that fetch each other need.
pub fn bundle() -> String {
    let mut script = String::new();
    for text in [RULES, BOARD, REPLAY] {
        for line in text.lines().filter(|line| !line.starts_with("import ")) {
            script += line.strip_prefix("export ").unwrap_or(line);
            script.push('\n');
        }
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundle_can_stand_inside_a_page() {
        let script = bundle();
        assert!(!script.contains("\nexport") && !script.contains("\nimport"));
        assert!(!script.contains("</script"));
        assert!(script.contains("function flips("));
    }
}
