//! The MCP server: translates between the protocol and a [`Toolbox`](toolcrib::Toolbox), and decides nothing.
//!
//! It must not know any tool: the list, the schemas and the answers all come from the toolbox. Nothing but protocol
//! ever goes to standard output.

mod answer;
mod approve;
mod at_desk;
mod client_scope;
mod clients;
mod http;
mod lines;
mod malformed;
mod resources;
mod server;
mod stdio;
mod unread;
mod until_end;
mod watching;

use std::io;
use std::os::fd::AsFd;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

pub use http::HttpServer;
pub use server::Server;

/// Serves one client on standard input and output until the input ends.
///
/// # Errors
///
/// If no runtime can be made, or the client does not speak the protocol.
pub fn serve_stdio(server: Server) -> io::Result<()> {
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        server.serve_descriptors(input, output).await
    });
    // A call that is still at work is not waited for: it was cancelled when its connection went away.
    runtime.shutdown_background();
    served
}

/// Serves clients over HTTP until the process is told to end (interrupt or terminate). From when `ready` is called, that
/// ends it in good order.
///
/// # Errors
///
/// If no runtime can be made, or the listener fails.
pub fn serve_http(listening: HttpServer, server: Server, ready: impl FnOnce()) -> io::Result<()> {
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let stop = CancellationToken::new();
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        ready();
        let told = {
            let stop = stop.clone();
            async move {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                stop.cancel();
            }
        };
        tokio::spawn(told);
        listening.serve(server, stop).await
    });
    runtime.shutdown_background();
    served
}

/// One thread speaks the protocol; each call that takes longer works on a thread of its own.
fn runtime() -> io::Result<tokio::runtime::Runtime> {
    let most = server::AT_WORK + server::LOOKING;
    tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(most).build()
}
