//! The broker lets in whom it knows.

use super::broker::{Broker, Folder};
use super::processes::{kitai, run, worker};

const PLAYERS: [&str; 3] =
    ["match", "depth=1,hash=1,eval=mobility", "name=b,depth=1,hash=1,eval=mobility"];
const TERMS: [&str; 4] = ["--games", "4", "--openings", "random:6"];

fn refused(arguments: &[&str]) -> String {
    let output = kitai().args(PLAYERS).args(TERMS).args(arguments).output().unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
#[ignore = "needs nats-server"]
fn passwords_tokens_and_nkeys_are_asked_for_and_not_shown_with_nats_server() {
    let folder = Folder::new("security");
    let broker = Broker::start_with(&["--user", "me", "--pass", "hush"]);
    let port = broker.port();
    let error = refused(&["--nats", &format!("nats://me:wrong@127.0.0.1:{port}")]);
    assert!(error.contains(&format!("nats://127.0.0.1:{port}: ")), "{error}");
    assert!(error.contains("uthorization") && !error.contains("wrong"), "{error}");
    let url = format!("nats://me:hush@127.0.0.1:{port}");
    let _worker = worker(&url, "one", &folder.0, &[]);
    run(&[&PLAYERS[..], &TERMS, &["--nats", &url]].concat());

    let broker = Broker::start_with(&["--auth", "sesame"]);
    let token = folder.file("token");
    std::fs::write(&token, "sesame\n").unwrap();
    let token = ["--nats-token", token.to_str().unwrap()];
    let _worker = worker(&broker.url(), "one", &folder.0, &token);
    run(&[&PLAYERS[..], &TERMS, &["--nats", &broker.url()], &token].concat());

    // The key pair of the NATS documentation.
    let config = folder.file("nkey.conf");
    let user = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
    std::fs::write(&config, format!("authorization: {{ users: [ {{ nkey: {user} }} ] }}\n"))
        .unwrap();
    let broker = Broker::start_with(&["-c", config.to_str().unwrap()]);
    let seed = folder.file("seed");
    std::fs::write(&seed, "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY\n").unwrap();
    let seed = ["--nats-nkey", seed.to_str().unwrap()];
    let _worker = worker(&broker.url(), "one", &folder.0, &seed);
    run(&[&PLAYERS[..], &TERMS, &["--nats", &broker.url()], &seed].concat());
    refused(&["--nats", &broker.url()]);
}

/// A certificate for 127.0.0.1 and its key, made by `openssl`.
fn certificate(folder: &Folder) -> (String, String) {
    let (certificate, key) = (folder.file("cert.pem"), folder.file("key.pem"));
    let made = std::process::Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-nodes", "-days", "2", "-subj", "/CN=kitai test"])
        .args(["-addext", "subjectAltName=IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    (certificate.display().to_string(), key.display().to_string())
}

#[test]
#[ignore = "needs nats-server and openssl"]
fn tls_is_checked_on_both_sides_with_nats_server() {
    let folder = Folder::new("tls");
    let (certificate, key) = certificate(&folder);
    let tls = ["--tlsverify", "--tlscert", &certificate, "--tlskey", &key, "--tlscacert"];
    let broker = Broker::start_with(&[&tls[..], &[&certificate]].concat());
    let url = format!("tls://127.0.0.1:{}", broker.port());
    let trust = ["--nats-ca", &certificate, "--nats-cert", &certificate, "--nats-key", &key];
    let _worker = worker(&url, "one", &folder.0, &trust);
    run(&[&PLAYERS[..], &TERMS, &["--nats", &url], &trust].concat());
    // Without trust in its certificate, or without one of our own: no.
    refused(&["--nats", &url]);
    refused(&["--nats", &url, "--nats-ca", &certificate]);
}
