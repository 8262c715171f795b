//! The facts of an answer: what each is called, what it means, and how it is read off an outcome. Schema and answer are made
//! of the same list, from which a dialect picks.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use toolcrib_tool::{Kind, Parameter, field};

use crate::table::Naming;
use crate::words::Words;

/// A table of facts: `"name": "what it means" => value;`, or `"name": "…", list(facts of an item) => items;`.
macro_rules! facts {
    ($of:ty, |$it:ident, $words:ident| $($name:literal: $about:literal $(, $list:ident($items:expr))? => $value:expr;)*) => {{
        let facts = $crate::facts::Facts::<$of>::new();
        $(let facts = $crate::facts::facts!(@row facts, $of, $it, $words, $name, $about, $($list, $items,)? $value);)*
        facts
    }};
    (@row $facts:ident, $of:ty, $it:ident, $words:ident, $name:literal, $about:literal, $value:expr) => {
        $facts.fact($name, $about, |$it: &$of, $words| {
            _ = (&$it, &$words);
            $value
        })
    };
    (@row $facts:ident, $of:ty, $it:ident, $words:ident, $name:literal, $about:literal, $list:ident, $items:expr, $value:expr) => {
        $facts.$list($name, $about, $items, |$it: &$of| $value)
    };
}
pub(crate) use facts;

/// Facts about a `T`, in order.
pub struct Facts<T>(Vec<Fact<T>>);

struct Fact<T> {
    name: &'static str,
    about: &'static str,
    field: Box<dyn Fn(Naming) -> Parameter + Send + Sync>,
    value: Reader<T>,
    /// An empty list is told; otherwise it is left out.
    may_be_empty: bool,
}

/// Reads a fact off an outcome.
type Reader<T> = Box<dyn Fn(&T, &Words<'_>) -> Option<Value> + Send + Sync>;

impl<T: 'static> Facts<T> {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a fact, in snake case. What is an [`Option`] may be absent.
    #[must_use]
    pub fn fact<R: Serialize + JsonSchema + 'static>(
        self,
        name: &'static str,
        about: &'static str,
        get: fn(&T, &Words<'_>) -> R,
    ) -> Self {
        self.push(
            name,
            about,
            |_| field::<R>(""),
            move |of, words| serde_json::to_value(get(of, words)).ok().filter(|value| !value.is_null()),
        )
    }

    /// Adds a list of objects.
    #[must_use]
    pub fn list<U: 'static>(
        self,
        name: &'static str,
        about: &'static str,
        items: Facts<U>,
        get: fn(&T) -> Vec<&U>,
    ) -> Self {
        let items = Arc::new(items);
        let each = Arc::clone(&items);
        let list = move |naming| {
            let item = Parameter::new("", Kind::Object).properties(items.fields(naming));
            Parameter::new("", Kind::Array).items(item)
        };
        self.push(name, about, list, move |of, words| {
            Some(get(of).into_iter().map(|item| Value::Object(each.of(item, words))).collect())
        })
    }

    /// Lets a list be absent where it would be empty.
    #[must_use]
    pub fn if_any(mut self, list: &str) -> Self {
        let Some(fact) = self.0.iter_mut().find(|fact| fact.name == list) else { return self };
        fact.may_be_empty = false;
        self
    }

    /// Makes one object of all facts so far.
    #[must_use]
    pub fn within(self, name: &'static str, about: &'static str) -> Self {
        let inner = Arc::new(self);
        let fields = Arc::clone(&inner);
        let object = move |naming| Parameter::new("", Kind::Object).properties(fields.fields(naming));
        Self::new().push(name, about, object, move |of, words| Some(inner.of(of, words).into()))
    }

    /// Adds the facts of another list.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Only these, separated by blanks, in this order.
    #[must_use]
    pub fn pick(mut self, names: &str) -> Self {
        let mut picked = Vec::new();
        for name in names.split_whitespace() {
            if let Some(at) = self.0.iter().position(|fact| fact.name == name) {
                picked.push(self.0.remove(at));
            }
        }
        Self(picked)
    }

    /// All but these, separated by blanks.
    #[must_use]
    pub fn without(mut self, names: &str) -> Self {
        self.0.retain(|fact| names.split_whitespace().all(|name| name != fact.name));
        self
    }

    /// Gives a fact another name.
    #[must_use]
    pub fn rename(mut self, from: &str, to: &'static str) -> Self {
        self.0.iter_mut().filter(|fact| fact.name == from).for_each(|fact| fact.name = to);
        self
    }

    /// Says of a fact something else.
    #[must_use]
    pub fn describe(mut self, name: &str, about: &'static str) -> Self {
        self.0.iter_mut().filter(|fact| fact.name == name).for_each(|fact| fact.about = about);
        self
    }

    /// The fields that an answer has.
    pub(crate) fn fields(&self, naming: Naming) -> Vec<Parameter> {
        let field = |fact: &Fact<T>| {
            let field = (fact.field)(naming).describe(fact.about);
            let required = field.required && fact.may_be_empty;
            Parameter { name: naming.spell(fact.name), required, ..field }
        };
        self.0.iter().map(field).collect()
    }

    /// The facts about this one, as the caller spells their names.
    pub(crate) fn of(&self, of: &T, words: &Words<'_>) -> Map<String, Value> {
        self.spelt(of, words, words.shared.habits.naming)
    }

    /// The facts about this one, under these names.
    pub(crate) fn spelt(&self, of: &T, words: &Words<'_>, naming: Naming) -> Map<String, Value> {
        let empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        let told = self.0.iter().filter_map(|fact| {
            let value = (fact.value)(of, words).filter(|value| fact.may_be_empty || !empty(value))?;
            Some((naming.spell(fact.name), value))
        });
        told.collect()
    }

    fn push(
        mut self,
        name: &'static str,
        about: &'static str,
        field: impl Fn(Naming) -> Parameter + Send + Sync + 'static,
        value: impl Fn(&T, &Words<'_>) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.0.push(Fact { name, about, field: Box::new(field), value: Box::new(value), may_be_empty: true });
        self
    }
}

impl<T: 'static> Default for Facts<T> {
    fn default() -> Self {
        Self::new()
    }
}
