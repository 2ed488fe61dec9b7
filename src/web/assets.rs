//! The page's files, embedded in the program; compressed once, told apart by their checksum.

use std::io::Write;
use std::path::PathBuf;

use axum::http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::page;

/// A file of the page as it stands in the program.
struct Embedded {
    name: &'static str,
    text: &'static str,
    /// Where it stands in the repository, seen from the folder of the page.
    path: &'static str,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(Embedded { name: $name, text: include_str!(concat!("page/", $name)), path: $name }),*]
    };
}

/// The files that only this page has.
const OWN: &[Embedded] = &files![
    "index.html",
    "style.css",
    "icon.svg",
    "main.js",
    "texts.js",
    "link.js",
    "game.js",
    "panel.js",
    "graph.js",
    "play.js",
    "study.js",
    "compare.js",
    "distribution.js",
    "openings.js",
    "watch.js",
    "files.js",
    "setup.js",
];

/// The files that reports use too.
const SHARED: &[Embedded] = &[
    Embedded { name: "rules.js", text: page::RULES, path: "../../page/rules.js" },
    Embedded { name: "board.js", text: page::BOARD, path: "../../page/board.js" },
    Embedded { name: "replay.js", text: page::REPLAY, path: "../../page/replay.js" },
    Embedded { name: "board.css", text: page::STYLE, path: "../../page/board.css" },
];

/// A file as it is sent.
struct Asset {
    name: &'static str,
    path: &'static str,
    plain: Vec<u8>,
    compressed: Vec<u8>,
    tag: String,
}

/// All files.
pub(super) struct Assets {
    assets: Vec<Asset>,
    /// Read the files anew from this folder.
    folder: Option<PathBuf>,
}

impl Assets {
    pub(super) fn new(folder: Option<PathBuf>) -> Assets {
        let files = OWN.iter().chain(SHARED);
        Assets {
            assets: files
                .map(|file| Asset {
                    name: file.name,
                    path: file.path,
                    plain: file.text.as_bytes().to_vec(),
                    compressed: compressed(file.text.as_bytes()),
                    tag: format!("\"{:08x}\"", crc32fast::hash(file.text.as_bytes())),
                })
                .collect(),
            folder,
        }
    }

    /// The file of this name, if the page has one.
    pub(super) fn get(&self, name: &str, headers: &HeaderMap) -> Response {
        let Some(asset) = self.assets.iter().find(|asset| asset.name == name) else {
            return (StatusCode::NOT_FOUND, "There is nothing here.\n").into_response();
        };
        let kind = (CONTENT_TYPE, content_type(name));
        if let Some(folder) = &self.folder {
            let fresh = std::fs::read(folder.join(asset.path));
            return fresh.map_or_else(
                |error| (StatusCode::NOT_FOUND, error.to_string()).into_response(),
                |text| ([kind], text).into_response(),
            );
        }
        let tag = (ETAG, asset.tag.as_str());
        let says = |name, word: &str| {
            headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .is_some_and(|v| v.contains(word))
        };
        if says(IF_NONE_MATCH, &asset.tag) {
            return (StatusCode::NOT_MODIFIED, [tag]).into_response();
        }
        let vary = (VARY, "accept-encoding");
        if says(ACCEPT_ENCODING, "gzip") {
            let encoding = (CONTENT_ENCODING, "gzip");
            return ([kind, tag, vary, encoding], asset.compressed.clone()).into_response();
        }
        ([kind, tag, vary], asset.plain.clone()).into_response()
    }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    }
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes every byte")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_of_the_folder_is_served_and_all_of_them_are_small() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web/page");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(files, OWN.iter().map(|file| file.name.to_owned()).collect());
        let assets = Assets::new(None);
        let sent: usize = assets.assets.iter().map(|asset| asset.compressed.len()).sum();
        assert!(sent < 150_000, "{sent} bytes");
    }

    #[test]
    fn a_file_is_sent_once_and_compressed() {
        let assets = Assets::new(None);
        let headers = |pairs: &[(axum::http::HeaderName, &str)]| -> HeaderMap {
            pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
        };
        let first = assets.get("main.js", &headers(&[(ACCEPT_ENCODING, "gzip, br")]));
        assert_eq!(first.headers()[CONTENT_ENCODING], "gzip");
        let tag = first.headers()[ETAG].to_str().unwrap().to_owned();
        let again = assets.get("main.js", &headers(&[(IF_NONE_MATCH, &tag)]));
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        for name in
            ["", "../Cargo.toml", "..%2f..%2fCargo.toml", "/etc/passwd", "main.js/", "MAIN.JS"]
        {
            assert_eq!(
                assets.get(name, &HeaderMap::new()).status(),
                StatusCode::NOT_FOUND,
                "{name}"
            );
        }
    }

    #[test]
    fn the_page_asks_nothing_of_the_outside() {
        for file in OWN.iter().chain(SHARED) {
            for word in ["https://", "//cdn", "@import url", "eval(", "innerHTML"] {
                assert!(!file.text.contains(word), "{}: {word}", file.name);
            }
            let addresses = file.text.matches("http://").count();
            let svg = file.text.matches("http://www.w3.org/").count();
            assert_eq!(addresses, svg, "{}", file.name);
        }
    }
}
