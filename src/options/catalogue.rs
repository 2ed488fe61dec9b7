//! All options there are, and who heeds each.

use super::{OptionError, OptionSpec};

/// An option and who heeds it.
#[derive(Debug)]
pub struct CatalogueEntry {
    /// Its description.
    pub spec: &'static OptionSpec,
    /// The methods that heed it.
    pub methods: Vec<&'static str>,
    /// The evaluations that heed it.
    pub evaluations: Vec<&'static str>,
}

/// Every option once, in the order in which they were added.
#[derive(Debug, Default)]
pub struct Catalogue {
    entries: Vec<CatalogueEntry>,
}

impl Catalogue {
    /// Adds options that belong to neither method nor evaluation.
    pub fn add(&mut self, options: &[&'static OptionSpec]) {
        options.iter().for_each(|spec| {
            self.entry(spec);
        });
    }

    /// Adds the options of a method.
    pub fn add_method(&mut self, name: &'static str, options: &[&'static OptionSpec]) {
        options.iter().for_each(|spec| self.entry(spec).methods.push(name));
    }

    /// Adds the options of an evaluation.
    pub fn add_evaluation(&mut self, name: &'static str, options: &[&'static OptionSpec]) {
        options.iter().for_each(|spec| self.entry(spec).evaluations.push(name));
    }

    fn entry(&mut self, spec: &'static OptionSpec) -> &mut CatalogueEntry {
        let index = self.entries.iter().position(|entry| entry.spec.name == spec.name);
        let index = index.unwrap_or_else(|| {
            let (methods, evaluations) = (Vec::new(), Vec::new());
            self.entries.push(CatalogueEntry { spec, methods, evaluations });
            self.entries.len() - 1
        });
        &mut self.entries[index]
    }

    /// All entries.
    pub fn entries(&self) -> &[CatalogueEntry] {
        &self.entries
    }

    /// The description of an option, its name in any case.
    ///
    /// # Errors
    /// [`OptionError::UnknownName`] naming the valid ones.
    pub fn spec(&self, name: &str) -> Result<&'static OptionSpec, OptionError> {
        let found = self.entries.iter().find(|entry| entry.spec.name.eq_ignore_ascii_case(name));
        found.map(|entry| entry.spec).ok_or_else(|| OptionError::UnknownName {
            name: name.to_owned(),
            valid: self.entries.iter().map(|entry| entry.spec.name).collect::<Vec<_>>().join(", "),
        })
    }
}
