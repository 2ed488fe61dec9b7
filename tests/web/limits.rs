//! Many pages at once, and pages that go away.

use std::time::Instant;

use super::browser::Browser;
use super::places::GAME;
use super::server::{HUNG, Server};

const ANALYSE: &str = r#"{"do":"analyze","id":1,"game":"f5d6c3","lines":64}"#;

/// The threads of the server that think about something or wait to.
fn search_threads(server: &Server) -> usize {
    let folder = format!("/proc/{}/task", server.id());
    let threads = std::fs::read_dir(folder).unwrap().filter_map(Result::ok);
    threads
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok())
        .filter(|name| name.starts_with("search "))
        .count()
}

#[test]
fn twenty_pages_analyse_at_once_and_the_next_one_is_told_that_the_server_is_busy() {
    let server = Server::start(&["--tabs", "20"]);
    let mut pages: Vec<_> = (0..20).map(|_| server.page()).collect();
    for page in &mut pages {
        page.hear_of("hello");
        page.tell(ANALYSE);
    }
    for page in &mut pages {
        let report = page.hear_of("progress");
        assert!(!report["report"]["lines"].as_array().unwrap().is_empty());
    }
    let mut late = server.page();
    assert_eq!(late.hear().unwrap()["say"], "busy");
    assert!(late.hear().is_none(), "the connection ends");
    // All of them still answer, and one that leaves makes room.
    for page in &mut pages {
        page.tell(r#"{"do":"ping","id":2}"#);
        page.hear_of("pong");
    }
    drop(pages.pop());
    let began = Instant::now();
    while server.page().hear().unwrap()["say"] != "hello" {
        assert!(began.elapsed() < HUNG, "no room is made");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_page_that_goes_takes_its_searches_along() {
    let server = Server::start(&[]);
    let mut page = server.page();
    page.hear_of("hello");
    page.tell(ANALYSE);
    page.tell(r#"{"do":"review","id":2,"game":"f5d6c3d3c4","from":0}"#);
    page.hear_of("progress");
    assert!(search_threads(&server) >= 2);
    drop(page);
    let began = Instant::now();
    while search_threads(&server) > 0 {
        assert!(began.elapsed() < HUNG, "the searches go on");
        std::thread::yield_now();
    }
    println!("the searches ended {:?} after the page", began.elapsed());
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs Chromium"]
fn a_tab_that_is_closed_takes_its_searches_along_in_a_browser() {
    let server = Server::start(&[]);
    let mut browser = Browser::start();
    let tab = browser.open(&server, "#place=study&game=f5d6c3");
    browser.wait(&tab, "kitai.views.study.report?.depth >= 6");
    assert!(search_threads(&server) >= 1);
    browser.close(tab);
    let began = Instant::now();
    while search_threads(&server) > 0 {
        assert!(began.elapsed() < HUNG, "the searches go on");
        std::thread::yield_now();
    }
    println!("the searches ended {:?} after the tab was closed", began.elapsed());
}

/// Resident memory of the server in kilobytes.
#[cfg(target_os = "linux")]
fn resident(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Thirty positions of a game are studied for a minute each, as somebody does who walks through it.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "takes half an hour and needs Chromium"]
fn long_study_goes_on_telling_and_its_memory_stays() {
    const MINUTES: usize = 30;
    let server = Server::start(&["--max-threads", "1"]);
    let mut browser = Browser::start();
    let tab = browser.open(&server, &format!("#place=study&game={GAME}&at=0"));
    browser.wait(&tab, "kitai.views.study.report?.depth >= 6");
    browser.run(
        &tab,
        "(() => { const study = kitai.views.study, tell = study.tell.bind(study); window.told = 0; \
         study.tell = (...what) => { window.told += 1; tell(...what); }; })()",
    );
    // The server's memory and the page's, in kilobytes, after each minute.
    let mut memory = Vec::new();
    for minute in 0..MINUTES {
        browser.run(&tab, &format!("kitai.game.go({minute}); kitai.changed(); window.told = 0"));
        // The page's own clock: the server and the page have nothing else to do.
        browser.run(&tab, "new Promise((done) => setTimeout(done, 60000)).then(() => 0)");
        let told = browser.run(&tab, "window.told").as_f64().unwrap();
        let heap = browser.run(&tab, "performance.memory.usedJSHeapSize").as_u64().unwrap() / 1024;
        memory.push((resident(&server), heap));
        println!("position {minute}: {:.1} updates a second, memory {memory:?}", told / 60.0);
        assert!(told >= 5.0 * 60.0, "{told} updates in a minute at position {minute}");
    }
    let (early, late) = (memory[MINUTES / 3], memory[MINUTES - 1]);
    assert!(late.0 < early.0 * 11 / 10 + 10_000, "the server's memory grows: {memory:?}");
    assert!(late.1 < early.1 * 2 + 10_000, "the page's memory grows: {memory:?}");
}
