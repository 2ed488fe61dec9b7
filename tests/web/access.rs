//! What a screen reader finds: every control has a name.

use super::browser::Browser;
use super::server::Server;

const CONTROLS: [&str; 11] = [
    "button", "link", "textbox", "combobox", "slider", "checkbox", "gridcell", "tab", "option",
    "menuitem", "image",
];

#[test]
#[ignore = "needs Chromium"]
fn every_control_has_a_name_in_a_browser() {
    let server = Server::start(&[]);
    let mut browser = Browser::start();
    let tab = browser.open(&server, "#place=play&game=f5d6c3");
    let mut controls = 0;
    for place in ["play", "study", "compare", "book", "watch", "load", "setup"] {
        match place {
            "load" => drop(browser.run(&tab, "kitai.enter('play'); [...document.querySelectorAll('.files button')].find((b) => b.textContent === 'Load').click()")),
            "setup" => drop(browser.run(&tab, "document.querySelector('dialog').close(); kitai.enter('study'); kitai.views.study.setUp()")),
            _ => drop(browser.run(&tab, &format!("kitai.enter('{place}')"))),
        }
        for node in browser.accessibility(&tab) {
            let role = node["role"]["value"].as_str().unwrap_or_default();
            if node["ignored"] == true || !CONTROLS.contains(&role) {
                continue;
            }
            controls += 1;
            let name = node["name"]["value"].as_str().unwrap_or_default();
            assert!(!name.trim().is_empty(), "{place}: a {role} without a name: {node}");
        }
    }
    println!("{controls} controls, all with names");
    assert!(controls > 300, "{controls}");
}
