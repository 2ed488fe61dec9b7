//! From lines to messages. The game server sends text meant for people at a terminal: messages of
//! several lines, prompts between most of them, bells and escape sequences in any of them.
//!
//! A message begins with `: ` (the central server), `name: ` (a user or a service such as `/os`) or
//! `.channel name: `. Further lines of all but the first kind begin with `|`. A prompt (`READY`,
//! `ALERT`) or an empty line ends a message; so does the beginning of the next one, because some
//! come without a prompt. Whatever the server sends, memory stays bounded.

/// Most bytes of one message that are kept; a joined game of 60 moves has about 3,000.
const LONGEST_MESSAGE: usize = 1 << 17;
/// Longest name of a user or service.
const LONGEST_NAME: usize = 8;

/// Who says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The central server.
    Central,
    /// A user or a service, to us.
    Name(String),
    /// A user, to everybody who listens to a channel or belongs to a group.
    Channel {
        /// `.chat`, `_team`.
        channel: String,
        /// Who.
        name: String,
    },
    /// Nobody: banners, help texts and whatever else has no sender.
    Nobody,
}

/// Something said, with the marks of its lines taken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// By whom.
    pub source: Source,
    /// The lines; the first without its sender.
    pub lines: Vec<String>,
}

/// What lines amount to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The server waits for a command.
    Prompt,
    /// A message is complete.
    Message(Message),
}

/// Puts messages together from lines.
#[derive(Debug, Default)]
pub struct Framer {
    open: Option<Message>,
    bytes: usize,
}

impl Framer {
    /// Takes a line in; `each` is given what it completes, in order.
    pub fn line(&mut self, line: &str, mut each: impl FnMut(Frame)) {
        let line = plain(line);
        let line = line.trim_end();
        if is_prompt(line) {
            self.flush(&mut each);
            return each(Frame::Prompt);
        }
        if line.is_empty() {
            return self.flush(&mut each);
        }
        if let Some(further) = line.strip_prefix('|') {
            return self.further(further);
        }
        match beginning(line) {
            Some((source, text)) if self.is_begun_by(&source) => {
                self.flush(&mut each);
                self.begin(source, text);
                // Nothing ever follows these, and no prompt may come after them.
                if self.open.as_ref().is_some_and(is_notification) {
                    self.flush(&mut each);
                }
            }
            _ => self.further(line),
        }
    }

    /// Ends the message that is being put together; for when nothing more comes.
    pub fn flush(&mut self, each: &mut impl FnMut(Frame)) {
        self.bytes = 0;
        if let Some(message) = self.open.take() {
            each(Frame::Message(message));
        }
    }

    /// The message that is being put together.
    pub fn open(&self) -> Option<&Message> {
        self.open.as_ref()
    }

    /// Whether a line of this form begins a message now. The texts of the central server have lines
    /// such as `key : value` and even `name: value` of their own.
    fn is_begun_by(&self, source: &Source) -> bool {
        match (source, self.open.as_ref().map(|message| &message.source)) {
            (Source::Central, _) => true,
            (Source::Name(name), _) if name.starts_with('/') => true,
            (_, Some(Source::Central | Source::Nobody)) => false,
            _ => true,
        }
    }

    fn begin(&mut self, source: Source, text: &str) {
        self.bytes = text.len();
        self.open = Some(Message { source, lines: vec![text.to_owned()] });
    }

    fn further(&mut self, line: &str) {
        // An empty line counts too.
        self.bytes += line.len() + 1;
        if self.bytes > LONGEST_MESSAGE {
            return;
        }
        match &mut self.open {
            Some(message) => message.lines.push(line.to_owned()),
            None => self.begin(Source::Nobody, line),
        }
    }
}

/// Whether a line is a prompt.
pub fn is_prompt(line: &str) -> bool {
    matches!(line.trim(), "READY" | "ALERT")
}

/// `: + /os 1` and `: - bob 1`.
fn is_notification(message: &Message) -> bool {
    message.source == Source::Central
        && message.lines[0].starts_with(['+', '-'])
        && message.lines[0].as_bytes().get(1) == Some(&b' ')
}

/// The sender and the text, if this line has the form that begins a message.
fn beginning(line: &str) -> Option<(Source, &str)> {
    if let Some(text) = line.strip_prefix(':') {
        return Some((Source::Central, text.strip_prefix(' ').unwrap_or(text)));
    }
    if line.starts_with(['.', '_']) {
        let (channel, rest) = line.split_once(' ')?;
        let (name, text) = named(rest)?;
        let channel = channel.to_owned();
        return Some((Source::Channel { channel, name: name.to_owned() }, text));
    }
    let (name, text) = named(line)?;
    Some((Source::Name(name.to_owned()), text))
}

/// `name: text`.
fn named(line: &str) -> Option<(&str, &str)> {
    // A name may hold a colon; the first one before a blank or the end of the line ends it.
    let end = line.find(": ").or_else(|| line.ends_with(':').then(|| line.len() - 1))?;
    let name = &line[..end];
    let is_name = (1..=LONGEST_NAME).contains(&name.chars().count())
        && name.chars().all(|c| !c.is_whitespace() && !c.is_control() && c != ',' && c != '\\');
    is_name.then(|| (name, line[end + 1..].strip_prefix(' ').unwrap_or(&line[end + 1..])))
}

/// The line without bells, escape sequences and other control characters.
pub(super) fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\u{1b}' => {
                // `[` and parameters, or the marks of a choice of characters (`(B`), and then one
                // character that ends the sequence.
                let last = if characters.next_if_eq(&'[').is_some() { '@' } else { '0' };
                while characters.next_if(|&c| (' '..last).contains(&c)).is_some() {}
                characters.next();
            }
            '\t' => out.push(' '),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frames(text: &str) -> Vec<String> {
        let mut framer = Framer::default();
        let mut found = Vec::new();
        let mut each = |frame| {
            found.push(match frame {
                Frame::Prompt => "READY".to_owned(),
                Frame::Message(Message { source, lines }) => {
                    let from = match source {
                        Source::Central => "*".to_owned(),
                        Source::Nobody => "?".to_owned(),
                        Source::Name(name) => name,
                        Source::Channel { channel, name } => format!("{channel} {name}"),
                    };
                    format!("{from}> {}", lines.join("/"))
                }
            });
        };
        for line in text.lines() {
            framer.line(line, &mut each);
        }
        framer.flush(&mut each);
        found
    }

    #[test]
    fn a_message_has_its_lines_and_ends_with_the_prompt() {
        let text = "READY\r\n\r\n/os: who     3 \r\n|alice    + 1720.0 \r\n|bob\r\nREADY\r\n";
        assert_eq!(frames(text), ["READY", "/os> who     3/alice    + 1720.0/bob", "READY"]);
    }

    #[test]
    fn messages_without_prompts_are_told_apart() {
        let text = ": + /os 1\n: - bob 1\n/os: join .5 8 K?\n|0 move(s)\n/os: update .6 8 K?\n\
                    |  1: f5\nbob: hello: you\n.chat ann: hi\n|there\n_team x: y\n: finger\nlogin: a\n";
        assert_eq!(
            frames(text),
            [
                "*> + /os 1",
                "*> - bob 1",
                "/os> join .5 8 K?/0 move(s)",
                "/os> update .6 8 K?/  1: f5",
                "bob> hello: you",
                ".chat ann> hi/there",
                "_team x> y",
                "*> finger/login: a",
            ]
        );
    }

    #[test]
    fn notifications_do_not_wait_for_a_prompt() {
        let mut framer = Framer::default();
        let mut found = 0;
        framer.line(": - /os 1", |_| found += 1);
        assert_eq!(found, 1);
        framer.line(": ERR user '/os' not found.", |_| found += 1);
        assert_eq!(found, 1);
        assert!(framer.open().is_some());
    }

    #[test]
    fn bells_and_escape_sequences_leave_no_trace() {
        let text = "\x07/os: \x1b[1;31mend\x1b[0m .1.0 (\x1b7 a vs. b )\x07\x1b(B +2.00\x00\n\
                    \x1b[mREADY\x07\n";
        assert_eq!(frames(text), ["/os> end .1.0 ( a vs. b ) +2.00", "READY"]);
    }

    #[test]
    fn foreign_lines_cannot_pass_for_the_service() {
        // A backslash in a tell becomes a line break, but the server marks what follows.
        assert_eq!(
            frames("bob: hi\n|/os: + match .1\n|READY\nREADY"),
            ["bob> hi//os: + match .1/READY", "READY"]
        );
    }

    #[test]
    fn a_message_without_an_end_stays_within_bounds() {
        let mut framer = Framer::default();
        framer.line("/os: look", |_| {});
        for _ in 0..100_000 {
            framer.line("|", |_| {});
            framer.line("|1234567890", |_| {});
        }
        let kept: usize = framer.open().unwrap().lines.iter().map(|line| line.len() + 1).sum();
        assert!(kept <= LONGEST_MESSAGE);
    }

    proptest! {
        #[test]
        fn any_lines_are_taken(lines in proptest::collection::vec("\\PC{0,30}|[|:./a-c \x1b\\[]{0,8}", 0..40)) {
            let text = lines.join("\n");
            let _ = frames(&text);
        }
    }
}
