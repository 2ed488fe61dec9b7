//! Who may ask.
//!
//! A browser runs the scripts of every page its user visits, and such a script can send requests to
//! this server too. Three things keep strangers out. The `Host` header must name this machine by an
//! address or a name it was told, so that a foreign name that suddenly resolves to this machine (DNS
//! rebinding) is refused. A request that a browser marks as coming from another site (`Origin`,
//! `Sec-Fetch-Site`) is refused, except for following a link to the page itself. And where other
//! machines can connect, a token is needed: it arrives once in the address and stays in a cookie
//! that no script can read.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode};

use crate::server::same_text;

/// What is checked of every request.
#[derive(Debug)]
pub(super) struct Guard {
    address: SocketAddr,
    hosts: Vec<String>,
    token: Option<String>,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// `Host` is missing or names another machine.
    Host,
    /// Another site asks.
    CrossSite,
    /// The token is missing or wrong.
    Token,
}

impl Refusal {
    pub(super) fn answer(self) -> (StatusCode, &'static str) {
        match self {
            Refusal::Host => (
                StatusCode::MISDIRECTED_REQUEST,
                "Kitai does not know itself by this name. Use the address it printed, or start it \
                 with --host NAME.\n",
            ),
            Refusal::CrossSite => {
                (StatusCode::FORBIDDEN, "Kitai does not answer the pages of other sites.\n")
            }
            Refusal::Token => (
                StatusCode::UNAUTHORIZED,
                "Kitai asks for a token here: open the address that it printed when it started.\n",
            ),
        }
    }
}

impl Guard {
    pub(super) fn new(address: SocketAddr, hosts: &[String], token: Option<String>) -> Guard {
        let hosts = hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        Guard { address, hosts, token }
    }

    /// The name of the cookie that holds the token: cookies do not tell ports apart.
    pub(super) fn cookie_name(&self) -> String {
        format!("kitai-{}", self.address.port())
    }

    /// Checks a request; `is_page` for the one that a link may lead to.
    pub(super) fn check(&self, headers: &HeaderMap, is_page: bool) -> Result<(), Refusal> {
        let text = |name| {
            headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok())
        };
        let host = text(HOST).ok_or(Refusal::Host)?;
        if headers.get_all(HOST).iter().count() != 1 || !self.is_own_name(host) {
            return Err(Refusal::Host);
        }
        if let Some(origin) = headers.get(ORIGIN) {
            let own = [format!("http://{host}"), format!("https://{host}")];
            let origin = origin.to_str().unwrap_or_default();
            if !own.iter().any(|own| own.eq_ignore_ascii_case(origin)) {
                return Err(Refusal::CrossSite);
            }
        }
        let fetch = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let foreign = matches!(fetch("sec-fetch-site"), Some("cross-site" | "same-site"));
        if foreign && !(is_page && fetch("sec-fetch-mode") == Some("navigate")) {
            return Err(Refusal::CrossSite);
        }
        Ok(())
    }

    /// Whether the request shows the token, if one is asked for.
    pub(super) fn knows_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(token) = &self.token else { return Ok(()) };
        let name = self.cookie_name();
        let shown = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let shown = shown.flat_map(|text| text.split(';')).filter_map(|pair| {
            let (key, value) = pair.trim().split_once('=')?;
            (key == name).then_some(value)
        });
        let known = shown.fold(false, |known, value| known | same_text(token, value));
        if known { Ok(()) } else { Err(Refusal::Token) }
    }

    /// Whether this is the token that is asked for.
    pub(super) fn is_token(&self, given: &str) -> bool {
        self.token.as_ref().is_some_and(|token| same_text(token, given))
    }

    /// Whether a `Host` header names this server.
    fn is_own_name(&self, host: &str) -> bool {
        let (name, port) = split_port(host);
        if self.hosts.iter().any(|known| known == &name.to_ascii_lowercase()) {
            return true;
        }
        if port.map_or(self.address.port() != 80, |port| port != self.address.port()) {
            return false;
        }
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        // A name can be made to point anywhere, an address cannot.
        bare.parse::<IpAddr>().is_ok_and(|ip| {
            ip.is_loopback() || ip == self.address.ip() || !self.address.ip().is_loopback()
        })
    }
}

/// `name:port`, `name` or `[v6]:port`; a port that is no number counts as a wrong one.
fn split_port(host: &str) -> (&str, Option<u16>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, Some(port.parse().unwrap_or(0))),
        _ => (host, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn local() -> Guard {
        Guard::new("127.0.0.1:8088".parse().unwrap(), &[], None)
    }

    #[test]
    fn only_own_names_are_answered() {
        let guard = local();
        for host in ["127.0.0.1:8088", "localhost:8088", "LOCALHOST:8088", "[::1]:8088"] {
            assert_eq!(guard.check(&headers(&[("host", host)]), false), Ok(()), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8088",
            "localhost",
            "localhost:80",
            "127.0.0.1.evil.example:8088",
            "192.168.1.7:8088",
            "localhost:8088:8088",
            "",
        ] {
            let refused = guard.check(&headers(&[("host", host)]), true);
            assert_eq!(refused, Err(Refusal::Host), "{host}");
        }
        assert_eq!(guard.check(&HeaderMap::new(), true), Err(Refusal::Host));
        let twice = headers(&[("host", "localhost:8088"), ("host", "evil.example")]);
        assert_eq!(guard.check(&twice, true), Err(Refusal::Host));
    }

    #[test]
    fn other_machines_are_known_by_address_and_by_names_given() {
        let names = ["Board.example".to_owned()];
        let guard = Guard::new("0.0.0.0:8088".parse().unwrap(), &names, Some("t".to_owned()));
        for (host, known) in [
            ("192.168.1.7:8088", true),
            ("board.example", true),
            ("board.example:443", true),
            ("other.example:8088", false),
        ] {
            assert_eq!(guard.check(&headers(&[("host", host)]), false).is_ok(), known, "{host}");
        }
    }

    #[test]
    fn other_sites_may_link_to_the_page_and_nothing_else() {
        let guard = local();
        let host = ("host", "localhost:8088");
        for origin in
            ["http://evil.example", "null", "http://localhost:9999", "http://127.0.0.1:8088"]
        {
            let asked = headers(&[host, ("origin", origin)]);
            assert_eq!(guard.check(&asked, true), Err(Refusal::CrossSite), "{origin}");
        }
        assert!(guard.check(&headers(&[host, ("origin", "http://localhost:8088")]), false).is_ok());
        let site =
            |mode| headers(&[host, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", mode)]);
        assert_eq!(guard.check(&site("navigate"), true), Ok(()));
        assert_eq!(guard.check(&site("navigate"), false), Err(Refusal::CrossSite));
        assert_eq!(guard.check(&site("no-cors"), true), Err(Refusal::CrossSite));
        assert!(guard.check(&headers(&[host, ("sec-fetch-site", "same-origin")]), false).is_ok());
    }

    #[test]
    fn the_token_is_looked_for_in_the_cookie() {
        let guard = Guard::new("0.0.0.0:8088".parse().unwrap(), &[], Some("secret".to_owned()));
        for (cookie, known) in [
            ("kitai-8088=secret", true),
            ("a=b; kitai-8088=secret", true),
            ("kitai-8088=secre", false),
            ("kitai-8089=secret", false),
            ("secret", false),
        ] {
            assert_eq!(
                guard.knows_token(&headers(&[("cookie", cookie)])).is_ok(),
                known,
                "{cookie}"
            );
        }
        assert_eq!(guard.knows_token(&HeaderMap::new()), Err(Refusal::Token));
        assert!(guard.is_token("secret") && !guard.is_token("") && !local().is_token(""));
    }
}
