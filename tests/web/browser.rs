//! Chromium, driven through its DevTools protocol: just what the tests need.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use super::server::{HUNG, Server};

/// A browser with a profile of its own, ended when dropped.
pub(crate) struct Browser {
    child: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    profile: PathBuf,
    next: u64,
}

/// One page of it.
pub(crate) struct Tab {
    target: String,
    session: String,
}

impl Browser {
    pub(crate) fn start() -> Browser {
        let program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
            .iter()
            .find(|path| std::path::Path::new(path).exists())
            .expect("these tests need Chromium (Debian: apt-get install chromium)");
        let number = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
        let profile = std::env::temp_dir().join(format!("kitai-browser-{number}"));
        let mut child = Command::new(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .args([
                "--disable-dev-shm-usage",
                "--remote-debugging-port=0",
                "--force-prefers-reduced-motion",
            ])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert!(told.read_line(&mut line).unwrap() > 0, "the browser does not start");
            if let Some(address) = line.trim().strip_prefix("DevTools listening on ") {
                break address.to_owned();
            }
        };
        std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
        let host = address.trim_start_matches("ws://").split('/').next().unwrap().to_owned();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(HUNG)).unwrap();
        let (socket, _) =
            tungstenite::client(address.as_str(), MaybeTlsStream::Plain(stream)).unwrap();
        Browser { child, socket, profile, next: 0 }
    }

    /// Gives an order and waits for its result.
    fn order(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut order = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = session {
            order["sessionId"] = session.into();
        }
        self.socket.send(Message::text(order.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let mut heard: Value = serde_json::from_str(&text).unwrap();
            if heard["id"] == id {
                assert!(heard["error"].is_null(), "{method}: {}", heard["error"]);
                return heard["result"].take();
            }
        }
    }

    /// Opens a page of the server.
    pub(crate) fn open(&mut self, server: &Server, fragment: &str) -> Tab {
        let context = self.order(None, "Target.createBrowserContext", json!({}));
        let parameters =
            json!({ "url": "about:blank", "browserContextId": context["browserContextId"] });
        let target = self.order(None, "Target.createTarget", parameters);
        let target = target["targetId"].as_str().unwrap().to_owned();
        let attach = json!({ "targetId": target, "flatten": true });
        let session = self.order(None, "Target.attachToTarget", attach);
        let tab = Tab { target, session: session["sessionId"].as_str().unwrap().to_owned() };
        self.size(&tab, 1200, 900);
        self.go(&tab, &format!("http://{}/{fragment}", server.address));
        tab
    }

    pub(crate) fn go(&mut self, tab: &Tab, address: &str) {
        self.order(Some(&tab.session), "Page.navigate", json!({ "url": address }));
        self.wait(tab, "window.kitai?.hello != null");
    }

    pub(crate) fn reload(&mut self, tab: &Tab) {
        self.run(tab, "window.kitai.hello = null");
        self.order(Some(&tab.session), "Page.reload", json!({}));
        self.wait(tab, "window.kitai?.hello != null");
    }

    pub(crate) fn size(&mut self, tab: &Tab, width: u32, height: u32) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.order(Some(&tab.session), "Emulation.setDeviceMetricsOverride", metrics);
    }

    pub(crate) fn theme(&mut self, tab: &Tab, theme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
        self.order(
            Some(&tab.session),
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// The value of an expression in the page.
    pub(crate) fn run(&mut self, tab: &Tab, expression: &str) -> Value {
        let parameters =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut result = self.order(Some(&tab.session), "Runtime.evaluate", parameters);
        assert!(
            result["exceptionDetails"].is_null(),
            "{expression}: {}",
            result["exceptionDetails"]
        );
        result["result"]["value"].take()
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&mut self, tab: &Tab, expression: &str) {
        let began = Instant::now();
        // A page that is being loaded has no context to ask in; then the answer is no.
        let asked = format!(
            "(() => {{ try {{ return Boolean({expression}); }} catch {{ return false; }} }})()"
        );
        loop {
            let parameters = json!({ "expression": asked, "returnByValue": true });
            self.next += 1;
            let id = self.next;
            let order = json!({ "id": id, "sessionId": tab.session, "method": "Runtime.evaluate", "params": parameters });
            self.socket.send(Message::text(order.to_string())).unwrap();
            let heard = loop {
                let Message::Text(text) = self.socket.read().unwrap() else { continue };
                let heard: Value = serde_json::from_str(&text).unwrap();
                if heard["id"] == id {
                    break heard;
                }
            };
            if heard["result"]["result"]["value"] == true {
                return;
            }
            assert!(began.elapsed() < HUNG, "still not so: {expression}");
            std::thread::yield_now();
        }
    }

    /// Presses and lets go of the mouse at the middle of an element.
    pub(crate) fn click(&mut self, tab: &Tab, selector: &str) {
        let place = self.run(
            tab,
            &format!(
                "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{ block: 'center' }}); \
                 const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()"
            ),
        );
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.order(Some(&tab.session), "Input.dispatchMouseEvent", event);
        }
    }

    pub(crate) fn press(&mut self, tab: &Tab, key: &str, code: u32) {
        let mut event = json!({ "type": "rawKeyDown", "key": key, "windowsVirtualKeyCode": code });
        if key == "Enter" {
            event["type"] = "keyDown".into();
            event["text"] = "\r".into();
        }
        self.order(Some(&tab.session), "Input.dispatchKeyEvent", event);
        let event = json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code });
        self.order(Some(&tab.session), "Input.dispatchKeyEvent", event);
    }

    /// Everything a screen reader would know of the page.
    pub(crate) fn accessibility(&mut self, tab: &Tab) -> Vec<Value> {
        let tree = self.order(Some(&tab.session), "Accessibility.getFullAXTree", json!({}));
        tree["nodes"].as_array().unwrap().clone()
    }

    /// A picture of the page as PNG in Base64.
    pub(crate) fn screenshot(&mut self, tab: &Tab) -> String {
        let shot =
            self.order(Some(&tab.session), "Page.captureScreenshot", json!({ "format": "png" }));
        shot["data"].as_str().unwrap().to_owned()
    }

    pub(crate) fn close(&mut self, tab: Tab) {
        self.order(None, "Target.closeTarget", json!({ "targetId": tab.target }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
