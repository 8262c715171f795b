//! Which agents have the server, how they start it, and whether it answers.

use std::path::{Path, PathBuf};

use serde::Serialize;
use toolcrib::{Dialect, Toolbox, names};

use super::probe::{self, PATIENCE};
use crate::commands::init::{self, Client, Configured};

/// A server in an agent's configuration.
#[derive(Debug, Serialize)]
pub(super) struct Agent {
    client: &'static str,
    /// As it is typed after `toolcrib init`.
    pub(super) typed: String,
    name: String,
    file: String,
    /// The directories that it serves; none where it is the project in which the agent starts it.
    roots: Vec<String>,
    dialect: String,
    state: State,
    /// What the server calls itself, or why it does not answer.
    said: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Answers,
    Fails,
    /// The user has switched it off.
    Off,
    /// A project may name any program, so it is not started.
    NotStarted,
}

/// All there are in the user's configurations, and in those of the projects that are served.
pub(super) fn all(toolbox: &Toolbox) -> Vec<Agent> {
    let roots: Vec<&Path> = toolbox.workspace().roots().iter().map(|root| root.path()).collect();
    let here = roots.first().copied().unwrap_or(Path::new("/"));
    let mut agents = Vec::new();
    for client in Client::all() {
        let user = client.user_file().ok().map(|file| (file, true));
        let projects = roots.iter().filter_map(|root| Some((client.project_file(root).ok()?, false)));
        for (file, users) in user.into_iter().chain(projects) {
            let servers = init::text_of(&file).map(|text| Configured::in_text(client, &text));
            let servers = servers.into_iter().flatten();
            agents.extend(servers.map(|server| Agent::of(client, &file, &server, users.then_some(here))));
        }
    }
    agents
}

impl Agent {
    /// A server in that file. It is started in a directory, if it may be.
    fn of(client: Client, file: &Path, server: &Configured, started_in: Option<&Path>) -> Self {
        let (state, said) = match started_in {
            _ if server.off => (State::Off, String::new()),
            None => (State::NotStarted, String::new()),
            Some(folder) => match probe::greet(server, &folder_of(server, folder), PATIENCE) {
                Ok(name) => (State::Answers, name),
                Err(why) => (State::Fails, why),
            },
        };
        Self {
            client: client.title(),
            typed: client.typed(),
            name: server.name.clone(),
            file: names::escape(file).into_owned(),
            roots: server.values("--root").map(str::to_owned).collect(),
            dialect: server.values("--dialect").last().unwrap_or(Dialect::default().as_str()).to_owned(),
            state,
            said,
        }
    }

    pub(super) fn fails(&self) -> bool {
        self.state == State::Fails
    }

    /// What is wrong, where something is.
    pub(super) fn failure(&self) -> String {
        format!("The server that {} starts {}", self.client, self.said)
    }

    /// It in one sentence.
    pub(super) fn sentence(&self) -> String {
        let root = match &self.roots[..] {
            [] => "the project it is started in".to_owned(),
            roots => roots.join(", "),
        };
        let name = if self.name == "toolcrib" { String::new() } else { format!(" (as {})", self.name) };
        let state = match self.state {
            State::Answers => "answers",
            State::Fails => "does not answer",
            State::Off => "switched off",
            State::NotStarted => "project configuration, not started",
        };
        format!("{}{name}: {state}; root {root}; dialect {}", self.client, self.dialect)
    }
}

/// Where an agent would start it: in a project; one of its own directories, where there are some.
fn folder_of(server: &Configured, here: &Path) -> PathBuf {
    let own = server.values("--root").map(Path::new).find(|root| root.is_absolute());
    let there = own.filter(|root| toolcrib::Workspace::open(root).is_ok());
    there.unwrap_or(here).to_owned()
}
