//! Connecting out: the same conversation with a server that somebody else runs.
//!
//! The session stays with the caller, so that it may be connected again with what it knows; when,
//! and how often, is the caller's affair.

use tokio::net::TcpStream;

use super::conversation::{self, Lines, Surroundings};
use super::learning::LearnFile;
use super::{ServeError, Service, signals, socket};
use crate::engine::{Budget, Engine};
use crate::protocol::Session;

/// Connects to `HOST:PORT` and talks until either side ends it. Game 0 is made ready with the
/// service's options first.
pub(super) async fn connect(
    address: &str,
    session: &mut dyn Session,
    service: &Service,
) -> Result<(), ServeError> {
    let shutdown = signals::shutdown()?;
    let (engine, events) = Engine::with_channel(Budget::unlimited());
    let learn_file = service.learn_file.as_ref();
    let learn_file = learn_file.map(|path| std::sync::Arc::new(LearnFile::new(path, None)));
    let stream = TcpStream::connect(address).await?;
    socket::prepare(&stream)?;
    let mut surroundings = Surroundings {
        engine,
        events,
        learn_file,
        shutdown,
        idle: None,
        farewell: None,
        reader_gone: socket::reader_of(&stream)?,
        reports: None,
        first: crate::protocol::Actions::default(),
        line_by_line: false,
    };
    conversation::prepare(&mut surroundings, &service.options).await?;
    let (reader, writer) = stream.into_split();
    Ok(conversation::converse(Lines::of(reader), writer, session, surroundings).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Actions, Input, InputLine, Phase};
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::time::Instant;

    /// Repeats lines until the other side hangs up; counts them over all connections.
    #[derive(Default)]
    struct Echo {
        lines: usize,
        hung_up: bool,
    }

    impl Session for Echo {
        fn take(&mut self, input: Input<'_>, _: Instant, actions: &mut Actions) {
            match input {
                Input::Line(InputLine::Text(text)) => {
                    self.lines += 1;
                    actions.text().push_str(&format!("{} {text}\n", self.lines));
                }
                Input::EndOfInput => self.hung_up = true,
                _ => {}
            }
        }

        fn phase(&self) -> Phase {
            if self.hung_up { Phase::Finished } else { Phase::Open }
        }
    }

    #[test]
    fn a_session_can_be_connected_again_with_what_it_knows() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = std::thread::spawn(move || {
            let mut heard = Vec::new();
            for said in ["welcome", "again"] {
                let (mut stream, _) = listener.accept().unwrap();
                writeln!(stream, "{said}").unwrap();
                let mut reply = String::new();
                BufReader::new(&stream).read_line(&mut reply).unwrap();
                heard.push(reply);
            }
            heard
        });
        let mut service = Service::default();
        service.options.set("hash", "1").unwrap();
        let mut session = Echo::default();
        for _ in 0..2 {
            session.hung_up = false;
            crate::server::connect(&address, &mut session, &service).unwrap();
        }
        assert_eq!(server.join().unwrap(), ["1 welcome\n", "2 again\n"]);
        let nobody = crate::server::connect("127.0.0.1:1", &mut session, &service);
        assert!(matches!(nobody, Err(ServeError::Io(_))), "{nobody:?}");
    }
}
