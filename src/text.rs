//! Small matters of text: values that travel as what they print, and counted things.

/// Lets a type that prints and parses itself travel in JSON and the like as that text.
macro_rules! travels_as_text {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text =
                    <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use travels_as_text;

/// `1 game`, `2 games`.
pub(crate) fn count(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// A number with its sign and so many decimals, never minus nothing: `+0.00`, not `-0.00`.
pub(crate) fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    let nothing = text.bytes().all(|byte| matches!(byte, b'+' | b'-' | b'0' | b'.'));
    if nothing { text.replace('-', "+") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_counted_and_nothing_has_no_minus() {
        assert_eq!([count(0, "game"), count(1, "game")], ["0 games", "1 game"]);
        let shown = [0.0, -0.0, -0.004, -0.006, 12.345].map(|value| signed(value, 2));
        assert_eq!(shown, ["+0.00", "+0.00", "+0.00", "-0.01", "+12.35"]);
        assert_eq!([signed(f64::INFINITY, 1), signed(-0.4, 0)], ["+inf", "+0"]);
    }
}
