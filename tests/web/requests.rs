//! Who is answered, and what cannot be had.

use super::server::Server;

#[test]
fn the_page_and_its_files_are_served_with_headers_that_keep_others_out() {
    let server = Server::start(&[]);
    let page = server.request("GET /", &[], b"");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    let headers = page.split("\r\n\r\n").next().unwrap().to_ascii_lowercase();
    for header in [
        "content-security-policy: default-src 'none'",
        "x-content-type-options: nosniff",
        "cross-origin-resource-policy: same-origin",
    ] {
        assert!(headers.contains(header), "{headers}");
    }
    for file in page.split("/page/").skip(1) {
        let name = file.split('"').next().unwrap();
        assert_eq!(server.status(&format!("GET /page/{name}"), &[], b""), 200, "{name}");
    }
}

#[test]
fn other_hosts_and_other_sites_are_refused() {
    let server = Server::start(&[]);
    let port = server.address.port();
    for host in ["evil.example", "evil.example:80", &format!("evil.example:{port}"), "127.0.0.1:1"]
    {
        for path in ["/", "/live", "/page/main.js"] {
            let status = server.status(&format!("GET {path}"), &[&format!("Host: {host}")], b"");
            assert_eq!(status, 421, "{host} {path}");
        }
    }
    let upgrade = [
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    for origin in ["http://evil.example", "null", &format!("http://evil.example:{port}")] {
        let origin = format!("Origin: {origin}");
        let mut headers = upgrade.to_vec();
        headers.push(&origin);
        assert_eq!(server.status("GET /live", &headers, b""), 403, "{origin}");
        assert_eq!(server.status("POST /read", &[&origin], b"f5"), 403, "{origin}");
    }
    let foreign = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"];
    assert_eq!(server.status("GET /page/main.js", &foreign, b""), 403);
    let link = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"];
    assert_eq!(server.status("GET /", &link, b""), 200);
}

#[test]
fn nothing_but_the_page_can_be_named() {
    let server = Server::start(&[]);
    for path in [
        "/page/../Cargo.toml",
        "/page/..%2f..%2fCargo.toml",
        "/page/%2e%2e/%2e%2e/etc/passwd",
        "/../../../../etc/passwd",
        "//etc/passwd",
        "/page//etc/passwd",
        "/page/",
        "/page/main.js%00.txt",
        "/src/web/page/main.js",
    ] {
        let answer = server.request(&format!("GET {path}"), &[], b"");
        let status = answer.split_whitespace().nth(1).unwrap();
        assert!(status == "404" || status == "400", "{path}: {answer}");
        assert!(!answer.contains("root:") && !answer.contains("[package]"), "{path}");
    }
    for first in ["DELETE /", "PUT /page/main.js", "POST /", "GET /read"] {
        assert!([404, 405].contains(&server.status(first, &[], b"")), "{first}");
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let server = Server::start(&[]);
    let huge = vec![b'x'; (4 << 20) + 1];
    let status = server.status("POST /read", &[], &huge);
    assert!(status == 413 || status == 0, "{status}");
    let header = format!("X: {}", "y".repeat(64 << 10));
    let status = server.status("GET /", &[&header], b"");
    assert!(status == 431 || status == 0, "{status}");
    let mut page = server.page();
    page.hear_of("hello");
    if page.try_tell(&"z".repeat(65 << 10)) {
        while page.hear().is_some() {}
    }
    // Everybody else is served as before.
    let mut page = server.page();
    page.tell(r#"{"do":"ping","id":3}"#);
    assert_eq!(page.hear_of("pong")["id"], 3);
}

#[test]
fn other_machines_need_the_token_and_keep_it_in_a_cookie() {
    // The address is this machine's, but a token that was asked for is asked for.
    let server = Server::start(&["--token", "s3cret"]);
    for path in ["/", "/page/main.js", "/live", "/?token=wrong"] {
        assert_eq!(server.status(&format!("GET {path}"), &[], b""), 401, "{path}");
    }
    let entered = server.request("GET /?token=s3cret", &[], b"");
    assert!(entered.starts_with("HTTP/1.1 303"), "{entered}");
    let lower = entered.to_ascii_lowercase();
    assert!(lower.contains("httponly") && lower.contains("samesite=strict"), "{entered}");
    let cookie = format!("Cookie: kitai-{}=s3cret", server.address.port());
    assert_eq!(server.status("GET /page/main.js", &[&cookie], b""), 200);
}

#[test]
fn a_file_of_games_is_read() {
    let server = Server::start(&[]);
    let answer = server.request("POST /read?name=a.txt", &[], b"f5d6c3d3c4\nf5f6\n");
    let body = answer.split("\r\n\r\n").nth(1).unwrap();
    let found: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(found["games"].as_array().unwrap().len(), 2, "{found}");
    assert_eq!(found["games"][0]["game"], "f5d6c3d3c4");
}
