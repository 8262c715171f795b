//! `toolcrib mcp`: the server.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::process::ExitCode;

use toolcrib::desk::{Desk, Listening, Patience};
use toolcrib::{ErrorKind, ToolError, Toolbox};
use toolcrib_mcp::{HttpServer, Server};

use crate::args::{Common, at_least, name};
use crate::commands::{NARROWER, exposed, prepare, server as configured, tell_half_done, unrecorded};
use crate::failure::Failure;
use crate::{output, starter};

#[derive(Clone, Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib mcp --root ~/project
  toolcrib mcp --root ~/project --read-only
  toolcrib mcp --root ~/project --http 127.0.0.1:0      # prints the address and the token
  claude mcp add toolcrib -- toolcrib mcp --root ~/project

Over HTTP, clients must send the token: a random one, or the value of TOOLCRIB_TOKEN.")]
pub(crate) struct McpArgs {
    /// Serve over HTTP on this loopback address (port 0 picks a free port) instead of standard input and output
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    http: Option<SocketAddr>,
    /// Offer only these tools, including those that are off by default; repeatable, or separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    tools: Vec<String>,
    /// Offer only tools that do not change files
    #[arg(long)]
    read_only: bool,
    /// Serve all roots, even if the client names narrower ones
    #[arg(long)]
    ignore_client_roots: bool,
    /// Add structured content to answers, for programs; many agents then show their model nothing else
    #[arg(long)]
    structured: bool,
    /// Put this prefix before the name of every tool, for agents whose own tools have the same names
    #[arg(long, value_name = "TEXT", value_parser = name)]
    prefix: Option<String>,
    /// Limit answers to this many characters [default: the known limit of the client, or 30000]
    #[arg(long, value_name = "COUNT", value_parser = at_least::<usize>(0))]
    max_characters: Option<usize>,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "must be an IP address and a port, such as 127.0.0.1:0".to_owned())
}

/// Holds the user's own token. An argument would show up in the list of processes.
const TOKEN: &str = "TOOLCRIB_TOKEN";
const SHORTEST_TOKEN: usize = 32;

pub(crate) fn run(common: &Common, args: &McpArgs) -> Result<ExitCode, Failure> {
    // Once locked in, a process sees nothing of the others.
    let unattended = args.http.is_none() && !starter::can_ask();
    let toolbox = open_for_clients(common, args)?;
    offer(&toolbox, args)?;
    // Before the door is closed a second time.
    let desk = desk(&toolbox, args);
    let changes =
        toolbox.executor().registry().list_all().iter().any(|tool| tool.descriptor().effect.changes());
    let listening = args.http.map(listen).transpose()?;
    // Where the user named no root, the client may: then the server is locked in once it is known what is served.
    let adopts = common.roots.is_empty() && listening.is_none() && !args.ignore_client_roots;
    let lockdown = (!adopts).then(|| toolbox.lock_down());
    let lockdown = lockdown.map_or_else(|| WAITS.to_owned(), |lockdown| lockdown.to_string());
    let greeting = match &listening {
        Some(listening) => Some(over_http(&toolbox, &lockdown, listening)),
        None if std::io::stdin().is_terminal() => {
            Some(greeting(&toolbox, &lockdown, &snippet(common, args)?))
        }
        None => None,
    };
    let unrecorded = if changes { unrecorded(common)? } else { None };
    let note = unrecorded.as_ref().map(|sentence| format!("note: {sentence}"));
    let exposed: Vec<String> =
        exposed(&toolbox).into_iter().map(|what| format!("warning: {what} ({NARROWER})")).collect();
    let greet = || greeting.iter().chain(&note).chain(&exposed).for_each(|text| output::say(text));
    // The user who started the server was told when the workspace was opened. The client is told too.
    let half_done = toolbox.half_done().into_iter().map(|half_done| half_done.to_string());
    let notices: Vec<String> = unrecorded.into_iter().chain(half_done).collect();
    let patience = Patience { configured: toolbox.approval_wait(), ..Patience::default() };
    let mut server = Server::new(toolbox).dry_run(common.dry_run);
    if let Some((desk, listening)) = desk {
        server = server.desk(desk, listening, patience);
    }
    if !notices.is_empty() {
        server = server.notice(notices.join(". "));
    }
    server = server
        .ignore_client_roots(args.ignore_client_roots)
        .structured(args.structured)
        .characters(args.max_characters)
        .unattended(unattended)
        .prefix(args.prefix.clone().unwrap_or_default())
        .shared_reading(listening.is_none() && common.session.is_none());
    if adopts {
        let (common, args) = (common.clone(), args.clone());
        server = server.adopting(move |roots| {
            let toolbox = open_for_clients(&Common { roots: roots.to_vec(), ..common.clone() }, &args)?;
            offer(&toolbox, &args)?;
            Ok(toolbox)
        });
    }
    if let Some(session) = &common.session {
        server = server.session(Some(session.clone()));
    }
    match listening {
        Some(listening) => toolcrib_mcp::serve_http(listening, server, greet)?,
        None => {
            greet();
            toolcrib_mcp::serve_stdio(server)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the user's other processes find the server. Without a folder for that, it serves its client alone.
fn desk(toolbox: &Toolbox, args: &McpArgs) -> Option<(Desk, Listening)> {
    let door = if args.http.is_some() { "http" } else { "mcp" };
    let roots = toolbox.workspace().roots().iter().map(|root| root.real().display().to_string());
    let desk = Desk::new(door, &toolbox.dialect().to_string(), roots.collect());
    let listening = Listening::open(&toolcrib::state_folder()?, &desk).ok()?;
    Some((desk, listening))
}

/// Shown until the roots are known.
const WAITS: &str = "takes effect once the client has named its roots";

/// The toolbox, which remembers what a client has read where each call may come from a process of its own.
fn open_for_clients(common: &Common, args: &McpArgs) -> Result<Toolbox, ToolError> {
    // A user who names tools may name those that are off by default.
    let prepared = || Ok::<_, ToolError>(prepare(common, common.dialect)?.more_tools(!args.tools.is_empty()));
    let toolbox = match (args.http, toolcrib::state_folder()) {
        (None, Some(state)) => prepared()?.keep_sessions_in(state).open().ok(),
        _ => None,
    };
    // Where it cannot be remembered, each process stands for itself.
    let toolbox = match toolbox {
        Some(toolbox) => toolbox,
        None => prepared()?.open()?,
    };
    Ok(tell_half_done(toolbox))
}

/// Takes away the tools that are not to be offered.
fn offer(toolbox: &Toolbox, args: &McpArgs) -> Result<(), ToolError> {
    let registry = toolbox.executor().registry();
    for name in &args.tools {
        registry.get_or_raise(name)?;
    }
    for tool in registry.list_all() {
        let wanted = args.tools.is_empty() || args.tools.iter().any(|name| name == tool.name());
        if !wanted || (args.read_only && tool.descriptor().effect.changes()) {
            registry.deregister(tool.name());
        }
    }
    if registry.list_names().is_empty() {
        return Err(ToolError::new(ErrorKind::InvalidParameter, "No tools left to offer")
            .hint("name a tool that only reads, or omit --read-only"));
    }
    Ok(())
}

/// Listens before the door is closed a second time.
fn listen(address: SocketAddr) -> Result<HttpServer, Failure> {
    let listening = HttpServer::bind(address)
        .map_err(|error| Failure::failed(format!("Cannot listen on {address}: {error}")))?;
    Ok(match std::env::var(TOKEN) {
        Ok(token) if token.len() >= SHORTEST_TOKEN => listening.token(token),
        Ok(_) => {
            let short = format!("{TOKEN} is too short: a token needs at least {SHORTEST_TOKEN} characters");
            return Err(Failure::failed(short));
        }
        Err(_) => listening,
    })
}

/// What clients need to connect, for the user who started the server.
fn over_http(toolbox: &Toolbox, lockdown: &str, listening: &HttpServer) -> String {
    let given = std::env::var_os(TOKEN).is_some();
    let token = if given { format!("the value of {TOKEN}") } else { listening.secret().to_owned() };
    format!(
        "Serving {}\n\
         Tools ({}): {}\n\
         Landlock: {lockdown}\n\
         Address: {}\n\
         Token: {token}\n\n\
         Clients must send the header Authorization: Bearer TOKEN. Press Ctrl-C to stop.",
        roots(toolbox).join(", "),
        toolbox.dialect(),
        toolbox.executor().registry().list_names().join(", "),
        listening.url(),
    )
}

fn roots(toolbox: &Toolbox) -> Vec<String> {
    toolbox.workspace().roots().iter().map(|root| root.path().display().to_string()).collect()
}

/// For a user who started the server by hand.
fn greeting(toolbox: &Toolbox, lockdown: &str, snippet: &str) -> String {
    format!(
        "Serving {}\n\
         Tools ({}): {}\n\
         Landlock: {lockdown}\n\n\
         The server speaks MCP on standard input and output, so an agent should start it. Add this to the agent's \
         configuration:\n\n\
         {snippet}\n\n\
         Waiting for a client. Press Ctrl-C to stop.",
        roots(toolbox).join(", "),
        toolbox.dialect(),
        toolbox.executor().registry().list_names().join(", "),
    )
}

/// What an agent's configuration takes to start the same server.
fn snippet(common: &Common, args: &McpArgs) -> Result<String, ToolError> {
    let (reach, form) = (configured::Reach::ThisMachine, configured::RootForm::Path);
    let mut same = configured::Server::new(common, "toolcrib", reach, form)?;
    if !args.tools.is_empty() {
        same.args.extend(["--tools".to_owned(), args.tools.join(",")]);
    }
    if let Some(prefix) = &args.prefix {
        same.args.extend(["--prefix".to_owned(), prefix.clone()]);
    }
    if let Some(characters) = args.max_characters {
        same.args.extend(["--max-characters".to_owned(), characters.to_string()]);
    }
    for (flag, given) in [
        ("--read-only", args.read_only),
        ("--ignore-client-roots", args.ignore_client_roots),
        ("--structured", args.structured),
    ] {
        same.args.extend(given.then(|| flag.to_owned()));
    }
    Ok(same.in_general())
}
