//! A running `kitai web` and plain ways to talk to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tungstenite::client::IntoClientRequest;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// How long anything may take before a test counts as hung: a safety net, not a measurement.
pub(crate) const HUNG: Duration = Duration::from_secs(120);

/// A server on a port of its own, ended when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Server {
        Server::on(0, arguments)
    }

    /// A server on this port; 0 for any.
    pub(crate) fn on(port: u16, arguments: &[&str]) -> Server {
        let port = port.to_string();
        let mut child = Command::new(env!("CARGO_BIN_EXE_kitai"))
            .args(["web", "--no-open", "--listen", &port])
            .args(arguments)
            .env_remove("KITAI_LOG")
            .env_remove("KITAI_TOKEN")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        told.read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).unwrap_or_else(|| panic!("{line}"));
        let address = address.split('/').next().unwrap().parse().unwrap();
        // Whatever else it says must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
        Server { child, address }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(HUNG)).unwrap();
        stream
    }

    /// Sends these bytes, which may be no request, and nothing more, and gives everything that comes
    /// back. The connection may be closed on us.
    pub(crate) fn raw(&self, bytes: &[u8]) -> String {
        let stream = self.connect();
        let _ = (&stream).write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        everything(stream)
    }

    /// A request with these headers besides `Host`; the whole answer.
    pub(crate) fn request(&self, first: &str, headers: &[&str], body: &[u8]) -> String {
        let mut text = format!("{first} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|header| header.to_ascii_lowercase().starts_with("host:")) {
            text += &format!("Host: {}\r\n", self.address);
        }
        for header in headers {
            text += &format!("{header}\r\n");
        }
        if !body.is_empty() {
            text += &format!("Content-Length: {}\r\n", body.len());
        }
        text += "\r\n";
        // Who closes its side before the answer has gone, as far as a server can tell.
        let mut stream = self.connect();
        let _ = stream.write_all(&[text.as_bytes(), body].concat());
        everything(stream)
    }

    /// The number in the first line of the answer.
    pub(crate) fn status(&self, first: &str, headers: &[&str], body: &[u8]) -> u16 {
        let answer = self.request(first, headers, body);
        answer.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or(0)
    }

    /// An open page, as far as the server can tell.
    pub(crate) fn page(&self) -> Page {
        let request = format!("ws://{}/live", self.address).into_client_request().unwrap();
        let (socket, _) =
            tungstenite::client(request, MaybeTlsStream::Plain(self.connect())).unwrap();
        Page { socket }
    }
}

/// What comes back until the other side closes; it may do so in the middle.
fn everything(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The socket of a page.
pub(crate) struct Page {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
}

impl Page {
    pub(crate) fn tell(&mut self, text: &str) {
        self.socket.send(Message::text(text)).unwrap();
    }

    /// As [`Page::tell`], for what may end the connection.
    pub(crate) fn try_tell(&mut self, text: &str) -> bool {
        self.socket.send(Message::text(text)).is_ok()
    }

    /// The next message; `None` when the server has closed.
    pub(crate) fn hear(&mut self) -> Option<serde_json::Value> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next message of this kind.
    pub(crate) fn hear_of(&mut self, say: &str) -> serde_json::Value {
        loop {
            let heard = self.hear().unwrap_or_else(|| panic!("closed before `{say}`"));
            if heard["say"] == say {
                return heard;
            }
        }
    }
}
