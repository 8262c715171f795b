//! What a program decides when it opens a toolbox or calls a tool, as the TypeScript half writes it down.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};
use toolcrib::{
    Builder, Config, Dialect, ErrorKind, ExecutionContext, Origin, Rule, ToolError, Toolbox, state_folder,
};

/// Which directories, which dialect, which rules.
#[derive(Deserialize)]
pub(crate) struct Opening {
    roots: Vec<PathBuf>,
    dialect: String,
    config: Option<Configuration>,
    rules: Vec<Value>,
    journal: Place,
    /// Where this package lies, which no tool may reach.
    protect: Vec<PathBuf>,
}

/// A file, or its content as an object.
#[derive(Deserialize)]
#[serde(untagged)]
enum Configuration {
    File(PathBuf),
    Object(Map<String, Value>),
}

/// A folder, or whether to use the user's own.
#[derive(Deserialize)]
#[serde(untagged)]
enum Place {
    Wanted(bool),
    In(PathBuf),
}

impl Opening {
    pub(crate) fn open(self) -> Result<Toolbox, ToolError> {
        let mut config = match self.config {
            Some(Configuration::File(file)) => Config::load(&file)?,
            Some(Configuration::Object(object)) => Config::from_object(&object)?,
            None => Config::default(),
        };
        for rule in &self.rules {
            config = config.rule(as_rule(rule)?);
        }
        let builder = Toolbox::builder().dialect(self.dialect.parse::<Dialect>()?).config(config);
        let builder = self.roots.into_iter().fold(builder, Builder::root);
        let builder = self.protect.into_iter().fold(builder, Builder::protect);
        let journal = match self.journal {
            Place::Wanted(false) => None,
            Place::Wanted(true) => state_folder(),
            Place::In(folder) => Some(folder),
        };
        journal.into_iter().fold(builder, Builder::journal_in).open()
    }
}

fn as_rule(plain: &Value) -> Result<Rule, ToolError> {
    let unknown = |_| {
        ToolError::new(ErrorKind::InvalidParameter, format!("No such rule: {plain}"))
            .hint("the kind is read, edit or external_directory; the action is allow, ask or deny")
    };
    let kind = serde_json::from_value(plain["kind"].clone()).map_err(unknown)?;
    let action = serde_json::from_value(plain["action"].clone()).map_err(unknown)?;
    let pattern: String = serde_json::from_value(plain["pattern"].clone()).map_err(unknown)?;
    let except: Option<Vec<String>> = serde_json::from_value(plain["except"].clone()).map_err(unknown)?;
    let rule = Rule::new(kind, &pattern, action, Origin::User)?;
    except.into_iter().flatten().try_fold(rule, |rule, pattern| rule.except(&pattern))
}

/// The context of calls.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Calling {
    session: Option<String>,
    agent: Option<String>,
    dry_run: Option<bool>,
    timeout_ms: Option<f64>,
    max_output_size: Option<usize>,
}

impl Calling {
    pub(crate) fn context(self, toolbox: &Toolbox) -> Result<ExecutionContext, ToolError> {
        let mut context = toolbox.context().dry_run(self.dry_run.unwrap_or_default());
        context.session_id = self.session;
        context.agent_id = self.agent;
        if let Some(milliseconds) = self.timeout_ms {
            context.timeout = Duration::try_from_secs_f64(milliseconds / 1000.0).map_err(|_| {
                let message = format!("The timeout is {milliseconds}, which is no number of milliseconds");
                ToolError::new(ErrorKind::InvalidParameter, message)
            })?;
        }
        if let Some(bytes) = self.max_output_size {
            context.max_output_size = bytes;
        }
        Ok(context)
    }
}
