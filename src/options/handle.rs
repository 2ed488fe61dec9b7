//! Typed handles: the declaration of an option and the only way to read it.

use super::{DefaultValue, OptionKind, OptionSpec, OptionValue, Wire};

/// What the value of an option can be inside the program.
pub trait OptionType: Sized + ToString {
    /// The same, known at compile time.
    type Default: Copy + Into<Self>;

    /// The value, if it is of this type; it always is, because handles make values and defaults.
    fn of_value(value: &OptionValue) -> Option<Self>;
}

impl OptionType for i64 {
    type Default = i64;

    fn of_value(value: &OptionValue) -> Option<i64> {
        if let OptionValue::Integer(value) = value { Some(*value) } else { None }
    }
}

impl OptionType for f64 {
    type Default = f64;

    fn of_value(value: &OptionValue) -> Option<f64> {
        if let OptionValue::Number(value) = value { Some(*value) } else { None }
    }
}

impl OptionType for bool {
    type Default = bool;

    fn of_value(value: &OptionValue) -> Option<bool> {
        if let OptionValue::Switch(value) = value { Some(*value) } else { None }
    }
}

impl OptionType for String {
    type Default = &'static str;

    fn of_value(value: &OptionValue) -> Option<String> {
        if let OptionValue::Text(value) = value { Some(value.clone()) } else { None }
    }
}

/// An option of this type: `static DEPTH: TypedOption<i64> = TypedOption::integer(…)`.
#[derive(Debug)]
pub struct TypedOption<T: OptionType> {
    /// The description, for catalogues.
    pub spec: OptionSpec,
    pub(super) default: T::Default,
}

impl TypedOption<i64> {
    /// A whole number within these bounds, both included.
    pub const fn integer(
        name: &'static str,
        min: i64,
        max: i64,
        default: i64,
        help: &'static str,
    ) -> TypedOption<i64> {
        let kind = OptionKind::Integer { min, max };
        let value = DefaultValue::Integer(default);
        TypedOption { spec: spec(name, kind, value, help), default }
    }
}

impl TypedOption<i64> {
    /// A number of threads, or `auto` for as many as the machine has cores.
    pub const fn cores(
        name: &'static str,
        max: i64,
        default: i64,
        help: &'static str,
    ) -> TypedOption<i64> {
        let kind = OptionKind::Cores { max };
        let value = DefaultValue::Integer(default);
        TypedOption { spec: spec(name, kind, value, help), default }
    }
}

impl TypedOption<f64> {
    /// A number within these bounds, both included.
    pub const fn number(
        name: &'static str,
        min: f64,
        max: f64,
        default: f64,
        help: &'static str,
    ) -> TypedOption<f64> {
        let kind = OptionKind::Number { min, max };
        let value = DefaultValue::Number(default);
        TypedOption { spec: spec(name, kind, value, help), default }
    }
}

impl TypedOption<bool> {
    /// On or off.
    pub const fn switch(name: &'static str, default: bool, help: &'static str) -> Self {
        let value = DefaultValue::Switch(default);
        TypedOption { spec: spec(name, OptionKind::Switch, value, help), default }
    }
}

impl TypedOption<String> {
    /// One of these words.
    pub const fn choice(
        name: &'static str,
        words: &'static [&'static str],
        default: &'static str,
        help: &'static str,
    ) -> TypedOption<String> {
        let value = DefaultValue::Text(default);
        TypedOption { spec: spec(name, OptionKind::Choice(words), value, help), default }
    }

    /// The name of a file, empty by default; never set by a client on the network.
    pub const fn file(name: &'static str, help: &'static str) -> TypedOption<String> {
        let mut spec = spec(name, OptionKind::Text, DefaultValue::Text(""), help);
        spec.wire = Wire::No;
        TypedOption { spec, default: "" }
    }
}

impl<T: OptionType> TypedOption<T> {
    /// The same, for the wire only within the server's budget.
    pub const fn budgeted(mut self) -> TypedOption<T> {
        self.spec.wire = Wire::Budgeted;
        self
    }
}

const fn spec(
    name: &'static str,
    kind: OptionKind,
    default: DefaultValue,
    help: &'static str,
) -> OptionSpec {
    OptionSpec { name, kind, default, help, wire: Wire::Yes }
}

#[cfg(test)]
thread_local! {
    static READ: std::cell::RefCell<std::collections::BTreeSet<&'static str>> =
        const { std::cell::RefCell::new(std::collections::BTreeSet::new()) };
}

/// Tests compare what is read with what is declared.
#[inline]
pub(super) fn note_read(name: &'static str) {
    #[cfg(test)]
    READ.with_borrow_mut(|read| read.insert(name));
    let _ = name;
}

/// The names of the options that this thread reads in `work`.
#[cfg(test)]
pub(crate) fn reads_during(work: impl FnOnce()) -> std::collections::BTreeSet<&'static str> {
    READ.with_borrow_mut(std::collections::BTreeSet::clear);
    work();
    READ.with_borrow(Clone::clone)
}
