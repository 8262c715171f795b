//! Messages as lines, one after the other. Every line that gave an id gets an answer, understood or not.

use rmcp::model::{ErrorData, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::{AsyncRwTransport, JsonRpcMessageCodec, JsonRpcMessageCodecError};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader, Empty};
use tokio_util::bytes::BytesMut;
use tokio_util::codec::Decoder;

use crate::malformed::{IdFinder, Malformed};

/// A line has at most so many bytes.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

/// A connection on which every message is a line.
pub(crate) struct Lines<R, W: AsyncWrite> {
    reader: BufReader<R>,
    /// What has come of a line. Reading may be called off at any moment, and goes on from here.
    line: BytesMut,
    /// Looks for the id in a line that is too long to be kept.
    too_long: Option<IdFinder>,
    writer: AsyncRwTransport<RoleServer, Empty, W>,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(reader: R, writer: W) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: BytesMut::new(),
            too_long: None,
            writer: AsyncRwTransport::new_server(tokio::io::empty(), writer),
        }
    }

    /// Reads to the end of a line; none at the end of the input.
    async fn read_line(&mut self) -> Option<()> {
        loop {
            let available = self.reader.fill_buf().await.ok()?;
            if available.is_empty() {
                return None;
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            if self.too_long.is_none() && self.line.len() + taken > LONGEST {
                self.too_long = Some(IdFinder::over(&self.line));
                self.line = BytesMut::new();
            }
            match &mut self.too_long {
                Some(finder) => finder.feed(&available[..taken]),
                None => self.line.extend_from_slice(&available[..taken]),
            }
            self.reader.consume(taken);
            if newline.is_some() {
                return Some(());
            }
        }
    }

    fn refuse(&mut self, malformed: Malformed, finder: IdFinder) {
        if let Some(refusal) = refusal(malformed, finder) {
            // Not waited for: reading may be called off, and the answer must not be lost by that.
            tokio::spawn(self.writer.send(refusal));
        }
    }
}

/// What a line is.
pub(crate) enum Line {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Something that needs no answer and has no effect.
    Nothing,
    /// It was not understood.
    Refused(Malformed, IdFinder),
    /// Nothing more can be read.
    End,
}

/// What a line of at most [`LONGEST`] bytes is.
pub(crate) fn understand(mut line: BytesMut) -> Line {
    let text = line.clone();
    match JsonRpcMessageCodec::default().decode(&mut line) {
        Ok(Some(message)) => Line::Message(Box::new(message)),
        Ok(None) => Line::Nothing,
        Err(JsonRpcMessageCodecError::Serde(error)) => {
            Line::Refused(Malformed::by(&error), IdFinder::over(&text))
        }
        Err(_) => Line::End,
    }
}

/// The answer to a line that was not understood, if it gave an id. A client that gave none expects no answer, and might take one
/// for a message of its own.
pub(crate) fn refusal(malformed: Malformed, finder: IdFinder) -> Option<TxJsonRpcMessage<RoleServer>> {
    let id = finder.id()?;
    let error = ErrorData::new(rmcp::model::ErrorCode(malformed.code()), malformed.sentence(), None);
    Some(JsonRpcMessage::error(error, Some(id)))
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.writer.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.read_line().await?;
            if let Some(finder) = self.too_long.take() {
                self.refuse(Malformed::TooLong, finder);
                continue;
            }
            match understand(self.line.split()) {
                Line::Message(message) => return Some(*message),
                Line::Nothing => {}
                Line::Refused(malformed, finder) => self.refuse(malformed, finder),
                Line::End => return None,
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.writer.close().await
    }
}
