//! Many pages at once, and pages that go away.

use std::time::Instant;

use super::browser::Browser;
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
