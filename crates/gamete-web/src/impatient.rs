//! Connections that are given up when their other end does not take what is sent.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A connection on which writing fails when nothing is taken for a while.
pub struct Impatient<S> {
    stream: S,
    patience: Duration,
    /// When it is given up; nothing where all that was sent is on its way.
    waits: Option<Pin<Box<Sleep>>>,
}

impl<S> Impatient<S> {
    /// A connection whose other end has so long.
    pub fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, waits: None }
    }

    /// The same of what was tried, unless it has been waited for too long.
    fn within<T>(&mut self, context: &mut Context<'_>, tried: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if tried.is_ready() {
            self.waits = None;
            return tried;
        }
        let patience = self.patience;
        ready!(self.waits.get_or_insert_with(|| Box::pin(sleep(patience))).as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within(context, tried)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.within(context, tried)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[test]
    fn what_nobody_takes_is_given_up_and_what_is_taken_slowly_is_not() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let patience = Duration::from_millis(50);
            let (near, _far) = tokio::io::duplex(16);
            let error = Impatient::new(near, patience).write_all(&[0; 100]).await.expect_err("no reader");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            let (near, mut far) = tokio::io::duplex(16);
            let mut near = Impatient::new(near, 20 * patience);
            let slow = async {
                let mut bytes = [0; 10];
                for _ in 0..30 {
                    sleep(patience).await;
                    far.read_exact(&mut bytes).await.expect("bytes");
                }
            };
            let (written, ()) = tokio::join!(near.write_all(&[0; 300]), slow);
            written.expect("all of it, though it takes longer than anybody waits for a part of it");
        });
    }
}
