//! Not reading from a client that does not read.
//!
//! Answers that wait for a client take memory. So nothing more is read from it while too many wait, and one that reads
//! nothing for long is dropped.

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::watch;

/// A connection that waits until its answers are read.
pub(crate) struct Unread<T> {
    inner: T,
    /// How many answers wait.
    waiting: Arc<watch::Sender<usize>>,
    most: usize,
    patience: Duration,
}

impl<T> Unread<T> {
    pub(crate) fn new(inner: T, most: usize, patience: Duration) -> Self {
        Self { inner, waiting: Arc::new(watch::Sender::new(0)), most, patience }
    }
}

/// An answer that waits.
struct Waits(Arc<watch::Sender<usize>>);

impl Waits {
    fn new(waiting: &Arc<watch::Sender<usize>>) -> Self {
        waiting.send_modify(|count| *count += 1);
        Self(Arc::clone(waiting))
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Unread<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let waits = Waits::new(&self.waiting);
        let sending = self.inner.send(message);
        async move {
            let sent = sending.await;
            drop(waits);
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if *self.waiting.borrow() >= self.most {
            let mut waiting = self.waiting.subscribe();
            let read = waiting.wait_for(|count| *count < self.most);
            _ = tokio::time::timeout(self.patience, read).await.ok()?;
        }
        self.inner.receive().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{EmptyResult, JsonRpcMessage, RequestId, ServerResult};
    use rmcp::transport::async_rw::AsyncRwTransport;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn answer(id: u32) -> TxJsonRpcMessage<RoleServer> {
        let result = ServerResult::EmptyResult(EmptyResult {});
        JsonRpcMessage::response(result, RequestId::Number(id.into()))
    }

    #[tokio::test]
    async fn who_does_not_read_is_not_read_and_dropped_in_the_end() {
        const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        let (ours, mut theirs) = tokio::io::duplex(64);
        let (reader, writer) = tokio::io::split(ours);
        let inner = AsyncRwTransport::new_server(reader, writer);
        let mut connection = Unread::new(inner, 2, Duration::from_millis(200));
        theirs.write_all(PING).await.unwrap();
        assert!(connection.receive().await.is_some());

        let waiting: Vec<_> = (0..4).map(|id| tokio::spawn(connection.send(answer(id)))).collect();
        theirs.write_all(PING).await.unwrap();
        let read = tokio::time::timeout(Duration::from_millis(50), connection.receive()).await;
        assert!(read.is_err(), "answers wait, so nothing is read");
        assert!(connection.receive().await.is_none(), "and after a while it is over");

        let mut seen = Vec::new();
        while seen.iter().filter(|byte| **byte == b'\n').count() < 4 {
            theirs.read_buf(&mut seen).await.unwrap();
        }
        for sent in waiting {
            sent.await.unwrap().unwrap();
        }
        assert!(connection.receive().await.is_some(), "who reads is read again");
    }
}
