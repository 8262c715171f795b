//! Listens on the loopback interface, and bounds what a client can hold.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

/// What a client is answered.
pub type Answer = Response<BoxBody<Bytes, Infallible>>;

/// What clients may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many may be connected at once; the others wait.
    pub connections: usize,
    /// How long one may take to send the head of a request.
    pub head: Duration,
    /// How long one may leave an answer unread.
    pub unread: Duration,
}

/// Listens. Port 0 takes one that is free.
///
/// # Errors
///
/// If the address is not on the loopback interface, or cannot be had.
pub fn bind(address: SocketAddr) -> io::Result<(std::net::TcpListener, SocketAddr)> {
    if !address.ip().is_loopback() {
        let refused = format!("{address} can be reached from other machines; listen on 127.0.0.1 or [::1]");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, refused));
    }
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Answers requests until `stop` fires. `respond` is told from which address a request comes.
///
/// # Errors
///
/// If the listener fails for good.
pub async fn serve<F>(
    listener: std::net::TcpListener,
    limits: Limits,
    stop: CancellationToken,
    respond: impl Fn(Request<Incoming>, SocketAddr) -> F + Clone + Send + 'static,
) -> io::Result<()>
where
    F: Future<Output = Answer> + Send + 'static,
{
    let listener = TcpListener::from_std(listener)?;
    let connections = Arc::new(Semaphore::new(limits.connections));
    loop {
        let turn = Arc::clone(&connections).acquire_owned();
        let accepted = tokio::select! {
            accepted = async { (turn.await, listener.accept().await) } => accepted,
            () = stop.cancelled() => return Ok(()),
        };
        match accepted {
            (Ok(turn), Ok((stream, peer))) => {
                let (respond, stop) = (respond.clone(), stop.clone());
                tokio::spawn(async move {
                    serve_one(stream, limits, stop, move |request| respond(request, peer)).await;
                    drop(turn);
                });
            }
            // Too many open files, or a client that has gone already: the next one may do.
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

async fn serve_one<F>(
    stream: TcpStream,
    limits: Limits,
    stop: CancellationToken,
    respond: impl Fn(Request<Incoming>) -> F,
) where
    F: Future<Output = Answer>,
{
    // Small answers are not held back for more to come.
    _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.unread));
    let answer = hyper::service::service_fn(move |request| {
        let answer = respond(request);
        async move { Ok::<_, Infallible>(answer.await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .serve_connection(TokioIo::new(Box::pin(stream)), answer);
    tokio::select! {
        // How a connection ends is the client's business.
        _ = connection => {}
        () = stop.cancelled() => {}
    }
}
