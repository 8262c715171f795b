//! What is asked on each tree, of us and of the others, and how long it may take.

use serde_json::{Value, json};

/// A tree, by the words that are looked for in it.
pub(crate) struct Words {
    pub(crate) title: &'static str,
    rare: &'static str,
    /// The same in the other case.
    case: &'static str,
    /// A regular expression around a rare literal.
    rare_regex: &'static str,
    regex: &'static str,
    /// A word in some hundred files.
    some: &'static str,
    common: &'static str,
    folder: &'static str,
    /// Names of few files, and of many.
    few: &'static str,
    many: &'static str,
}

pub(crate) const LINUX: Words = Words {
    title: "Linux",
    rare: "PM_RESUME",
    case: "pm_resume",
    rare_regex: r"dpm_resume_\w+",
    regex: "[A-Z]+_RESUME",
    some: "debugfs_create_file",
    common: "return",
    folder: "drivers/usb",
    few: "Kconfig.debug",
    many: "*.c",
};

pub(crate) const DJANGO: Words = Words {
    title: "Django",
    rare: "ModelFormMetaclass",
    case: "modelformmetaclass",
    rare_regex: r"\w+FormMetaclass",
    regex: r"\w+_related",
    some: "get_queryset",
    common: "self",
    folder: "django/db",
    few: "compiler.py",
    many: "*.py",
};

pub(crate) const TOOLCRIB: Words = Words {
    title: "Toolcrib",
    rare: "walk_sorted",
    case: "WALK_SORTED",
    rare_regex: r"walk_sort\w+",
    regex: r"\w+_sorted",
    some: "Toolbox",
    common: "self",
    folder: "crates/search",
    few: "walk.rs",
    many: "*.rs",
};

/// One question: its name, what we are asked, and what the other is.
pub(crate) struct Question {
    pub(crate) name: &'static str,
    pub(crate) ours: Vec<String>,
    pub(crate) theirs: Vec<String>,
    pub(crate) call: Value,
    /// The most of the other's time that a server with an index may take.
    pub(crate) warm: f64,
}

impl Words {
    pub(crate) fn questions(&self) -> Vec<Question> {
        let by_relevance = json!({"sort": "relevance"});
        let count = json!({"output_mode": "count"});
        let without_literal = r"[A-Za-z]{14}\s+[0-9]{9}";
        let mut questions = vec![
            grep("rare literal", "", self.rare, Value::Null),
            grep("regex with a rare literal", "", self.rare_regex, Value::Null),
            grep("regex", "", self.regex, Value::Null),
            grep("case-insensitive", "-i", self.case, json!({"-i": true})),
            grep("no match", "", "zzq_nothing_like_[t]his", Value::Null),
            grep("a word in some hundred files", "", self.some, by_relevance.clone()),
            grep("many matches, shown", "", self.common, by_relevance),
            grep("many matches, counted", "-c", self.common, count),
            grep("no literal in the regex", "", without_literal, Value::Null),
            grep("one subfolder", "", self.rare, json!({"path": self.folder})).below(self.folder),
            glob("few files by name", self.few, &["fd", "--type", "f", "--glob", self.few]),
            glob("many files by name", self.many, &["fd", "--type", "f", "--glob", self.many]),
            glob("list of files, newest first, beside fd unsorted", "", &["fd", "--type", "f"]),
            glob("list of files, beside rg", "", &["rg", "--files"]),
            glob("list of files, beside rg sorted", "", &["rg", "--files", "--sortr", "modified"]),
        ];
        for question in &mut questions {
            question.warm = self.warm(question.name);
        }
        questions
    }

    /// The aims for a server with an index. Where there is none, it must be no slower than the other.
    fn warm(&self, name: &str) -> f64 {
        match (self.title, name) {
            ("Linux", "rare literal" | "regex with a rare literal") => 0.005,
            ("Linux", "no match") => 0.001,
            ("Linux", "case-insensitive") => 0.05,
            ("Linux", "a word in some hundred files") => 0.06,
            ("Linux", "few files by name") => 0.02,
            ("Linux", "list of files, newest first, beside fd unsorted") => 0.3,
            ("Django", "rare literal") => 0.03,
            _ => 1.0,
        }
    }
}

/// A flag, or none, is given to both; rg must be told to number lines.
pub(crate) fn grep(name: &'static str, flag: &str, pattern: &str, more: Value) -> Question {
    let mut arguments =
        json!({"pattern": pattern, "output_mode": "content", "sort": "path", "head_limit": 1000});
    if let (Some(arguments), Value::Object(more)) = (arguments.as_object_mut(), more) {
        arguments.extend(more);
    }
    let numbered = if flag == "-c" { "" } else { "-n" };
    Question {
        name,
        ours: words(&["grep", flag, pattern]),
        theirs: words(&["rg", numbered, flag, pattern]),
        call: json!({"name": "Grep", "arguments": arguments}),
        warm: 1.0,
    }
}

/// Files of that name, wherever they are; all files for no name.
fn glob(name: &'static str, files: &str, theirs: &[&str]) -> Question {
    let pattern = if files.is_empty() { "**".to_owned() } else { format!("**/{files}") };
    let call = json!({"name": "Glob", "arguments": {"pattern": pattern}});
    Question { name, ours: words(&["glob", &pattern]), theirs: words(theirs), call, warm: 1.0 }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().filter(|word| !word.is_empty()).map(|word| (*word).to_owned()).collect()
}

impl Question {
    fn below(mut self, folder: &str) -> Self {
        self.ours.push(folder.to_owned());
        self.theirs.push(folder.to_owned());
        self
    }
}
