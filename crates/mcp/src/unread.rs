//! Not reading from a client that does not read.
//!
//! Answers that wait for a client take memory. While too many wait, no call of its begins and nothing more is read from it,
//! and one that reads nothing for long is dropped.

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::watch;

/// How many answers wait for a client.
#[derive(Clone)]
pub(crate) struct Unread {
    count: Arc<watch::Sender<usize>>,
    most: usize,
}

impl Unread {
    /// At most so many are to wait.
    pub(crate) fn new(most: usize) -> Self {
        Self { count: Arc::new(watch::Sender::new(0)), most }
    }

    /// Waits until there is room for one more.
    pub(crate) async fn room(&self) {
        if !self.has_room() {
            // It ends with an error if no reader counts any more, and the counter is ours.
            _ = self.count.subscribe().wait_for(|count| *count < self.most).await;
        }
    }

    /// Whether there is room for one more.
    pub(crate) fn has_room(&self) -> bool {
        *self.count.borrow() < self.most
    }

    /// Waits until nothing waits any more.
    pub(crate) async fn nothing(&self) {
        _ = self.count.subscribe().wait_for(|count| *count == 0).await;
    }

    pub(crate) fn add(&self, more: usize) {
        self.count.send_modify(|count| *count += more);
    }

    pub(crate) fn remove(&self, fewer: usize) {
        self.count.send_modify(|count| *count -= fewer);
    }

    fn one_more(&self) -> Waits {
        self.add(1);
        Waits(self.clone())
    }
}

/// An answer that waits.
struct Waits(Unread);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.remove(1);
    }
}

/// A connection that counts the answers which wait, and reads only while there is room.
pub(crate) struct Paced<T> {
    pub(crate) inner: T,
    pub(crate) unread: Unread,
    /// How long there may be no room.
    pub(crate) patience: Duration,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Paced<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let waits = self.unread.one_more();
        let sending = self.inner.send(message);
        async move {
            let sent = sending.await;
            drop(waits);
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        tokio::time::timeout(self.patience, self.unread.room()).await.ok()?;
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
        let mut connection = Paced { inner, unread: Unread::new(2), patience: Duration::from_millis(200) };
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
