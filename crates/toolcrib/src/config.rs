//! The user's configuration, and what a workspace may add to it.
//!
//! ```toml
//! matching = "exact"            # or "tolerant", the default: overlook what is certain to be a slip
//! undo_tool = true              # give agents the Undo tool; the default is false
//! more_tools = true             # give agents Stat, Insert, ReadMany, Delete and Move too; the default is false
//! read_before_write = false     # let a session change files that it has not read; the default is true
//! mounts = "follow"             # what is mounted below a root belongs to it; the default is "refuse"
//!
//! [read]
//! budget = 51200                # bytes of text in one answer
//! pages = 20                    # pages of a PDF in one answer
//! image_side = 1568             # pixels of an image's longest side; what is larger is scaled down
//! image_bytes = 5242880         # bytes of an image, or of all images of a notebook together
//!
//! [search]
//! index = "auto"                # or "off": read every file in every search; see docs/design/index.md
//! limit_mb = 2048               # a workspace whose index would be larger has none
//!
//! [[rules]]
//! kind = "read"                 # read, edit or external_directory
//! pattern = "private/**"
//! except = ["private/README.md"]
//! action = "deny"               # allow, ask or deny
//!
//! [journal]                     # what is kept of every change, so that it can be undone
//! enabled = true                # false: changes are made without a record
//! limit_mb = 1024               # the oldest changes go first
//! contents = "required"         # or "if_possible": also make a change whose old content does not fit
//! durability = "safe"           # or "fast": do not wait for the disk; a power cut may then damage what was changed
//! fast_in = ["/home/ada/tmp"]   # workspaces that are fast anyway
//!
//! [approvals]                   # where a rule says ask
//! wait = "2m"                   # how long a call waits for an answer in `toolcrib ui`; without, 50 s if one is open, else not at all
//! ```
//!
//! The user's file is `toolcrib/config.toml` in the configuration folder, or the one given by name. A `.toolcrib.toml` at
//! the top of a root can add rules that tighten; one that loosens does not count. Agents cannot write it.
//!
//! A `.toolcrib.toml` comes with a repository and may be hostile, so a configuration is bounded when it is read. One that is
//! wrong or too large is an error that names the file and the line: to go on without its rules would loosen them.

mod object;

use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toolcrib_access::{Access, Action, History, Origin, Pattern, Policy, Rule, disk_error};
use toolcrib_dialects::{Matching, ReadLimits, Settings};
use toolcrib_journal::{Contents, Options};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Durability, ErrorKind as DiskError, Mounts, Workspace, names};

/// A configuration is written by hand; one that is larger than this is something else.
const MAX_SIZE: u64 = 1024 * 1024;
/// How many rules one file may have.
const MAX_RULES: usize = 10_000;
/// How many exceptions one rule may have.
const MAX_EXCEPTIONS: usize = 64;
/// How many patterns one file may have once braces are expanded, exceptions included.
const MAX_PATTERNS: usize = 20_000;

/// What the user decided.
///
/// ```
/// use toolcrib::Config;
///
/// let config = Config::parse("[[rules]]\nkind = \"read\"\npattern = \"private/**\"\naction = \"deny\"")?;
/// assert_eq!(config.rules()[0].to_string(), "deny read private/**");
/// # Ok::<(), toolcrib::ToolError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Config {
    rules: Vec<Rule>,
    settings: Settings,
    unread_writes: bool,
    journal: JournalTable,
    search: SearchTable,
    approvals: ApprovalsTable,
    mounts: Mounts,
    /// The file it was read from, or would have been.
    file: Option<PathBuf>,
}

impl Config {
    /// The name of a workspace's own configuration, at the top of a root.
    pub const WORKSPACE_FILE: &'static str = ".toolcrib.toml";

    /// A configuration in TOML.
    ///
    /// # Errors
    ///
    /// If it is not TOML, or has something in it that means nothing.
    pub fn parse(text: &str) -> Result<Self, ToolError> {
        Self::parse_from(text, Origin::User)
    }

    /// The configuration in this file.
    ///
    /// # Errors
    ///
    /// If there is no such file, or it is not a configuration.
    pub fn load(file: &Path) -> Result<Self, ToolError> {
        read(file)?
            .ok_or_else(|| {
                ToolError::new(ErrorKind::NotFound, format!("Configuration not found: {}", file.display()))
                    .hint("check the path, or leave it out to use the default one")
            })
            .and_then(|text| Self::parse(&text).map_err(|error| at(file, &error, Origin::User)))
            .map(|config| Self { file: Some(file.to_owned()), ..config })
    }

    /// The configuration in the user's own file, or the default one where there is no such file.
    ///
    /// # Errors
    ///
    /// If there is one that cannot be read or is not a configuration.
    pub fn load_default() -> Result<Self, ToolError> {
        let Some(file) = Self::default_file() else { return Ok(Self::default()) };
        let text = read(&file)?.unwrap_or_default();
        let config = Self::parse(&text).map_err(|error| at(&file, &error, Origin::User))?;
        Ok(Self { file: Some(file), ..config })
    }

    /// Where the user's own file is looked for.
    #[must_use]
    pub fn default_file() -> Option<PathBuf> {
        let absolute =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
        Some(folder.join("toolcrib").join("config.toml"))
    }

    /// Adds a rule.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// The user's rules.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Whether the user wants changes to be recorded, if there is a folder for it.
    #[must_use]
    pub fn keeps_journal(&self) -> bool {
        self.journal.enabled.unwrap_or(true)
    }

    /// How many bytes the index of a root may have, if searches may use one; none leaves it to the index.
    pub(crate) fn index_limit(&self) -> Option<Option<u64>> {
        let limit = self.search.limit_mb.map(|megabytes| megabytes.saturating_mul(1 << 20));
        matches!(self.search.index, IndexName::Auto).then_some(limit)
    }

    /// The file it was read from, or would have been.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// How long a call waits for somebody who is connected to the [desk](crate::desk), as the user wants it.
    #[must_use]
    pub fn approval_wait(&self) -> Option<Duration> {
        self.approvals.wait
    }

    pub(crate) fn settings(&self) -> Settings {
        self.settings
    }

    pub(crate) fn unread_writes(&self) -> bool {
        self.unread_writes
    }

    pub(crate) fn mounts(&self) -> Mounts {
        self.mounts
    }

    /// The journal of a workspace in this folder, as the user wants it; none if the user wants none.
    pub(crate) fn history(&self, state: &Path, workspace: &Workspace) -> Option<History> {
        let JournalTable { enabled: _, limit_mb, contents, durability, fast_in } = &self.journal;
        let is_fast =
            workspace.roots().iter().all(|root| fast_in.iter().any(|fast| root.path().starts_with(fast)));
        let durability = if is_fast { Durability::Fast } else { (*durability).into() };
        let defaults = Options::default();
        let options = Options {
            limit: limit_mb.map_or(defaults.limit, |megabytes| megabytes.saturating_mul(1 << 20)),
            contents: (*contents).into(),
            ..defaults
        };
        let history = History::new(state, workspace).options(options).durability(durability);
        self.keeps_journal().then_some(history)
    }

    /// The policy that follows from the user's rules and the workspace's own.
    pub(crate) fn policy(mut self, workspace: &Workspace) -> Result<Policy, ToolError> {
        for root in workspace.roots() {
            let file = root.path().join(Self::WORKSPACE_FILE);
            let Some(text) = read_in(workspace, &file, root.path(), Origin::Workspace)? else { continue };
            let own = Self::parse_from(&text, Origin::Workspace)
                .map_err(|error| at(&file, &error, Origin::Workspace))?;
            self.rules.extend(own.rules);
        }
        Ok(Policy::new(self.rules))
    }

    fn parse_from(text: &str, origin: Origin) -> Result<Self, ToolError> {
        let file: File =
            toml::from_str(text).map_err(|error| in_line(text, error.span(), error.message()))?;
        let rules = rules(text, file.rules, origin)?;
        let tightens = origin == Origin::Workspace;
        Ok(Self {
            rules,
            settings: Settings {
                matching: file.matching.into(),
                read: file.read.limits(),
                undo: !tightens && file.undo_tool,
                more_tools: !tightens && file.more_tools,
                ..Settings::default()
            },
            unread_writes: !tightens && !file.read_before_write.unwrap_or(true),
            journal: if tightens { JournalTable::default() } else { file.journal },
            search: if tightens { SearchTable::default() } else { file.search },
            approvals: if tightens { ApprovalsTable::default() } else { file.approvals },
            mounts: if tightens { Mounts::Refuse } else { file.mounts.into() },
            file: None,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    matching: MatchingName,
    read_before_write: Option<bool>,
    #[serde(default)]
    mounts: MountsName,
    #[serde(default)]
    read: Read,
    #[serde(default)]
    undo_tool: bool,
    #[serde(default)]
    more_tools: bool,
    #[serde(default)]
    rules: Vec<Spanned<Entry>>,
    #[serde(default)]
    journal: JournalTable,
    #[serde(default)]
    search: SearchTable,
    #[serde(default)]
    approvals: ApprovalsTable,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ApprovalsTable {
    #[serde(deserialize_with = "duration")]
    wait: Option<Duration>,
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let wrong = |error| {
        serde::de::Error::custom(format!("'{text}' is not a duration such as \"2m\" or \"45s\": {error}"))
    };
    humantime::parse_duration(&text).map(Some).map_err(wrong)
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SearchTable {
    index: IndexName,
    limit_mb: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum IndexName {
    #[default]
    Auto,
    Off,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct JournalTable {
    enabled: Option<bool>,
    limit_mb: Option<u64>,
    contents: ContentsName,
    durability: DurabilityName,
    fast_in: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ContentsName {
    #[default]
    Required,
    IfPossible,
}

impl From<ContentsName> for Contents {
    fn from(name: ContentsName) -> Self {
        match name {
            ContentsName::Required => Self::Required,
            ContentsName::IfPossible => Self::IfPossible,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DurabilityName {
    #[default]
    Safe,
    Fast,
}

impl From<DurabilityName> for Durability {
    fn from(name: DurabilityName) -> Self {
        match name {
            DurabilityName::Safe => Self::Safe,
            DurabilityName::Fast => Self::Fast,
        }
    }
}

/// What is given replaces the default; nothing at all could be read with a zero.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    budget: Option<NonZero<usize>>,
    pages: Option<NonZero<usize>>,
    image_side: Option<NonZero<u32>>,
    image_bytes: Option<NonZero<usize>>,
}

impl Read {
    fn limits(&self) -> ReadLimits {
        let default = ReadLimits::default();
        ReadLimits {
            budget: self.budget.map_or(default.budget, NonZero::get),
            pages: self.pages.map_or(default.pages, NonZero::get),
            image_side: self.image_side.map_or(default.image_side, NonZero::get),
            image_bytes: self.image_bytes.map_or(default.image_bytes, NonZero::get),
            ..default
        }
    }
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MountsName {
    #[default]
    Refuse,
    Follow,
}

impl From<MountsName> for Mounts {
    fn from(name: MountsName) -> Self {
        match name {
            MountsName::Refuse => Self::Refuse,
            MountsName::Follow => Self::Follow,
        }
    }
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MatchingName {
    Exact,
    #[default]
    Tolerant,
}

impl From<MatchingName> for Matching {
    fn from(name: MatchingName) -> Self {
        match name {
            MatchingName::Exact => Self::Exact,
            MatchingName::Tolerant => Self::Tolerant,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    kind: Access,
    pattern: Spanned<String>,
    action: Action,
    #[serde(default)]
    except: Vec<Spanned<String>>,
}

/// The rules of a file, within the bounds.
fn rules(text: &str, entries: Vec<Spanned<Entry>>, origin: Origin) -> Result<Vec<Rule>, ToolError> {
    let (mut rules, mut patterns) = (Vec::with_capacity(entries.len().min(MAX_RULES)), 0);
    for entry in entries {
        let too_many = |what: &str, most: usize| {
            in_line(text, Some(entry.span()), &format!("there are more than {most} {what}"))
        };
        if rules.len() == MAX_RULES {
            return Err(too_many("rules", MAX_RULES));
        }
        let rule = entry.get_ref().rule(text, origin)?;
        if rule.except.len() > MAX_EXCEPTIONS {
            return Err(too_many("exceptions in a rule", MAX_EXCEPTIONS));
        }
        patterns +=
            rule.except.iter().map(Pattern::alternatives).sum::<usize>() + rule.pattern.alternatives();
        if patterns > MAX_PATTERNS {
            return Err(too_many("patterns in all rules, with every alternative counted", MAX_PATTERNS));
        }
        rules.push(rule);
    }
    Ok(rules)
}

impl Entry {
    fn rule(&self, text: &str, origin: Origin) -> Result<Rule, ToolError> {
        let at = |pattern: &Spanned<String>, error: &ToolError| {
            in_line(text, Some(pattern.span()), error.message())
        };
        let rule = Rule::new(self.kind, self.pattern.get_ref(), self.action, origin)
            .map_err(|error| at(&self.pattern, &error))?;
        // One more than there may be is enough to see that there are too many.
        self.except.iter().take(MAX_EXCEPTIONS + 1).try_fold(rule, |rule, pattern| {
            rule.except(pattern.get_ref()).map_err(|error| at(pattern, &error))
        })
    }
}

/// What is wrong, and in which line.
fn in_line(text: &str, span: Option<Range<usize>>, message: &str) -> ToolError {
    let before = span.and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    ToolError::new(ErrorKind::InvalidParameter, format!("line {line}: {message}"))
}

/// The text of a file, or nothing where there is none. The folder it lies in is its workspace for the moment.
fn read(file: &Path) -> Result<Option<String>, ToolError> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    match Workspace::open(folder) {
        Ok(workspace) => read_in(&workspace, file, folder, Origin::User),
        Err(error) if error.kind() == DiskError::NotFound => Ok(None),
        Err(error) => Err(disk_error(error)),
    }
}

fn read_in(
    workspace: &Workspace,
    file: &Path,
    folder: &Path,
    origin: Origin,
) -> Result<Option<String>, ToolError> {
    let wrong = |why: &str| at(file, &ToolError::new(ErrorKind::InvalidParameter, why), origin);
    let path = workspace.path(file, folder).map_err(disk_error)?;
    match workspace.snapshot_within(&path, MAX_SIZE) {
        Ok(snapshot) => {
            String::from_utf8(snapshot.into_bytes()).map(Some).map_err(|_| wrong("it is not UTF-8"))
        }
        Err(error) if error.kind() == DiskError::NotFound => Ok(None),
        Err(error) if matches!(error.kind(), DiskError::TooLarge { .. }) => {
            Err(wrong("it is larger than 1 MB"))
        }
        Err(error) => Err(disk_error(error)),
    }
}

fn at(file: &Path, error: &ToolError, origin: Origin) -> ToolError {
    let message = format!("Invalid configuration: {}: {}", names::escape(file), error.message());
    let hint = "a rule is a [[rules]] table with kind (read, edit, external_directory), pattern, action (allow, ask, deny) \
                and, where needed, except";
    let error = ToolError::new(ErrorKind::InvalidParameter, message);
    match origin {
        Origin::Workspace => error.hint(format!(
            "correct the file, or remove it if you do not trust who wrote it: without it the workspace has no rules of its \
             own; {hint}"
        )),
        _ => error.hint(hint),
    }
}
