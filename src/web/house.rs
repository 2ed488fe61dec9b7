//! What all pages share: presets, methods and options to choose from, the budget, the match that is
//! watched.

use std::collections::BTreeMap;
use std::num::NonZero;

use serde::Serialize;

use super::message::Say;
use super::watch::Watcher;
use super::{Web, WebError, book, gallery};
use crate::config;
use crate::engine::{Budget, Player, catalogue};
use crate::eval::EVAL;
use crate::memory;
use crate::options::{OptionError, OptionKind, OptionValue, Options};
use crate::protocol::Permissions;
use crate::search::mcts::MEMORY;
use crate::search::minimax::{HASH, THREADS};
use crate::search::{self, METHOD, methods};

/// Things one page may think about at once: its game, an analysis, a review, five columns.
pub(super) const SLOTS_PER_TAB: usize = 8;
/// Memory of a search that a person looks at alone, MiB, and of one of many, if nobody says other.
const ROOMY: i64 = 64;
const LEAN: i64 = 8;
/// Options that the comparison shows as sliders where a method heeds them.
const SLIDERS: [&str; 12] = [
    "depth",
    "playouts",
    "sigma",
    "mean-power",
    "odds-scale",
    "best-own",
    "best-opponent",
    "opponent-depth",
    "opponent-softness",
    "risk",
    "shared-candidates",
    "look-ahead",
];

/// What pages do not differ in.
pub(super) struct House {
    options: Options,
    preset: String,
    pub(super) budget: Budget,
    pub(super) tabs: usize,
    pub(super) watcher: Option<Watcher>,
}

/// A preset as the page lists it.
#[derive(Serialize, Debug, Clone)]
pub(super) struct Preset {
    name: String,
    description: String,
    method: String,
}

/// A method as the page lists it.
#[derive(Serialize, Debug, Clone)]
pub(super) struct Method {
    name: &'static str,
    help: &'static str,
    /// The sliders that it heeds.
    sliders: Vec<&'static str>,
    /// Whether its cost is counted in playouts.
    plays_out: bool,
}

/// A number that the page lets people change.
#[derive(Serialize, Debug, Clone)]
pub(super) struct Slider {
    name: &'static str,
    help: &'static str,
    min: f64,
    max: f64,
    default: f64,
    whole: bool,
}

/// How much a search may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// All cores and a large table: a person waits for this one.
    Roomy,
    /// One thread and a small table: one of many, or the budget has no more.
    Lean,
}

impl House {
    pub(super) fn new(web: &Web) -> Result<House, WebError> {
        let cores = cores();
        let mut least = web.options.clone();
        least.set("hash", &LEAN.to_string())?;
        least.set("threads", "1")?;
        let slots = web.tabs * SLOTS_PER_TAB;
        let mebibytes = web.memory.unwrap_or_else(|| memory::physical_mebibytes() / 2);
        let threads = web.threads.unwrap_or(cores) + slots as u64;
        let budget = Budget::shared(&least, slots, mebibytes, threads)?;
        // Options that cannot be used are told now, and what all pages share is made once.
        Player::with_budget(least, budget.clone()).prepare()?;
        let watcher = web.watch.as_ref().map(|path| Watcher::new(path));
        let preset = web.preset.clone();
        Ok(House { options: web.options.clone(), preset, budget, tabs: web.tabs, watcher })
    }

    /// The first word to a page.
    pub(super) fn hello(&self) -> Say {
        Say::Hello {
            version: env!("CARGO_PKG_VERSION"),
            preset: self.preset.clone(),
            presets: self.presets(),
            methods: methods_to_compare(),
            sliders: sliders(),
            gallery: gallery::exhibits(),
            book: book::is_loaded(self.options()),
            watch: self.watcher.is_some(),
        }
    }

    fn presets(&self) -> Vec<Preset> {
        let usable = |preset: &config::Preset| {
            let mut options = self.options.clone();
            options.overlay(&preset.options);
            !needs_a_file(&options)
        };
        config::built_in()
            .filter(usable)
            .map(|preset| Preset {
                method: preset.options.get(&METHOD),
                name: preset.name,
                description: preset.description,
            })
            .collect()
    }

    /// The options of a preset by its built-in name: a page names no files.
    pub(super) fn preset(&self, name: &str) -> Option<Options> {
        let preset = config::built_in().find(|preset| preset.name == name)?;
        let mut options = self.options.clone();
        options.overlay(&preset.options);
        Some(options)
    }

    /// The options of the house.
    pub(super) fn options(&self) -> Options {
        self.options.clone()
    }

    /// The options with what a page sets on top, as large as the search may be.
    ///
    /// # Errors
    /// An unknown option, a bad value, or one that names a file.
    pub(super) fn with(
        &self,
        mut options: Options,
        set: &BTreeMap<String, String>,
        size: Size,
    ) -> Result<Options, OptionError> {
        let may = Permissions { files: false, learn: false };
        for (name, value) in set {
            options = may.with_option(&options, name, value)?;
        }
        self.sized(options, size)
    }

    /// The options with threads and memory of this size, where nobody asked for others.
    pub(super) fn sized(&self, mut options: Options, size: Size) -> Result<Options, OptionError> {
        let chosen = search::chosen(&options)?;
        let (threads, mebibytes) = match size {
            Size::Roomy => (cores() as i64, ROOMY),
            Size::Lean => (1, LEAN),
        };
        for (option, value) in [(&THREADS, threads), (&HASH, mebibytes), (&MEMORY, mebibytes)] {
            let is_free = size == Size::Lean || !is_set(&options, option.spec.name);
            if chosen.heeds(&option.spec) && is_free {
                options.put(option, value)?;
            }
        }
        Ok(options)
    }
}

fn is_set(options: &Options, name: &str) -> bool {
    options.changed().any(|(set, _)| set == name)
}

/// Evaluations that cannot be had without a file that nobody named.
fn needs_a_file(options: &Options) -> bool {
    let coefficients = matches!(
        options.value_of("zebra-coeffs"), Ok(OptionValue::Text(file)) if !file.is_empty()
    );
    options.get(&EVAL).starts_with("zebra") && !coefficients
}

fn cores() -> u64 {
    std::thread::available_parallelism().map_or(1, NonZero::get) as u64
}

fn methods_to_compare() -> Vec<Method> {
    let heeded = |method: &search::MethodSpec| {
        let specs = SLIDERS.iter().filter_map(|name| Options::spec(name).ok());
        specs.filter(|spec| method.heeds(spec)).map(|spec| spec.name).collect::<Vec<_>>()
    };
    methods()
        .map(|method| {
            let sliders = heeded(method);
            Method {
                name: method.name,
                help: method.help,
                plays_out: sliders.contains(&"playouts"),
                sliders,
            }
        })
        .collect()
}

fn sliders() -> Vec<Slider> {
    let entries = catalogue::catalogue().entries();
    entries
        .iter()
        .filter(|entry| SLIDERS.contains(&entry.spec.name))
        .filter_map(|entry| {
            let (min, max, whole) = match entry.spec.kind {
                OptionKind::Integer { min, max } => (min as f64, max as f64, true),
                OptionKind::Cores { max } => (1.0, max as f64, true),
                OptionKind::Number { min, max } => (min, max, false),
                _ => return None,
            };
            let default = match OptionValue::from(entry.spec.default) {
                OptionValue::Integer(value) => value as f64,
                OptionValue::Number(value) => value,
                _ => return None,
            };
            let (name, help) = (entry.spec.name, entry.spec.help);
            Some(Slider { name, help, min, max, default, whole })
        })
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A house for so many pages.
    pub(in crate::web) fn house(tabs: usize) -> House {
        House::new(&Web {
            address: "127.0.0.1:0".parse().unwrap(),
            token: None,
            hosts: Vec::new(),
            tabs,
            memory: Some(2048),
            threads: Some(1),
            options: Options::new(),
            preset: "level-3".to_owned(),
            watch: None,
            page: None,
        })
        .unwrap()
    }

    #[test]
    fn presets_that_need_a_file_are_not_offered() {
        let house = house(1);
        let offered: Vec<String> = house.presets().into_iter().map(|preset| preset.name).collect();
        assert!(offered.iter().any(|name| name == "level-1"));
        assert!(!offered.iter().any(|name| name.starts_with("uct-e")));
        assert!(house.preset("../Cargo").is_none());
    }

    #[test]
    fn a_page_names_no_file_and_gets_its_threads_only_where_they_count() {
        let house = house(1);
        let set = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
        for name in ["weights", "sigma-table", "zebra-coeffs"] {
            let refused = house.with(house.options(), &set(name, "/etc/passwd"), Size::Lean);
            assert!(refused.unwrap_err().to_string().contains("names a file"));
        }
        let lean = house.with(house.options(), &set("method", "mcts"), Size::Lean).unwrap();
        assert_eq!((lean.get(&MEMORY), lean.get(&THREADS)), (LEAN, 1));
        let own = house.with(house.options(), &set("hash", "2"), Size::Roomy).unwrap();
        assert_eq!((own.get(&HASH), own.get(&THREADS)), (2, cores() as i64));
    }

    #[test]
    fn every_method_has_at_least_one_slider() {
        for method in methods_to_compare().iter().filter(|method| method.name != "dummy") {
            assert!(!method.sliders.is_empty(), "{}", method.name);
        }
        assert_eq!(sliders().len(), SLIDERS.len());
    }
}
