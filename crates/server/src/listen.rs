//! Connections: let in one by one, with a bound for how many and for how slow, and finished when the server ends.

use crate::door::Peer;
use axum::{Router, body::Body, http::Request};
use handover_core::limits::{
    CONNECTIONS_MAX, DRAIN_MS, HANDSHAKE_MS, HEAD_BYTES_MAX, HEAD_MS, HEADERS_MAX, STREAMS_MAX,
};
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
};
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::{JoinHandle, JoinSet},
};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

/// How long is waited when nobody can be let in.
const BREATH: Duration = Duration::from_millis(50);
/// Connections that wait to be let in, beside those that the server has.
const BACKLOG: u32 = 1_024;

/// A server that lets connections in.
pub(crate) struct Listening {
    task: JoinHandle<()>,
}

/// Takes an address. One that a server has just left can be taken at once.
pub(crate) async fn bind(address: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    let listener = socket.listen(BACKLOG)?;
    let bound = listener.local_addr()?;
    Ok((listener, bound))
}

/// What every connection needs.
struct Shared {
    acceptor: Option<TlsAcceptor>,
    router: Router,
    builder: auto::Builder<TokioExecutor>,
}

impl Listening {
    pub(crate) fn begin(
        listener: TcpListener,
        acceptor: Option<TlsAcceptor>,
        router: Router,
        ending: watch::Receiver<bool>,
    ) -> Self {
        let shared = Arc::new(Shared { acceptor, router, builder: builder() });
        Self { task: tokio::spawn(let_in(listener, shared, ending)) }
    }

    pub(crate) async fn end(self) {
        // It fails only by a panic, and then there is nothing left to end.
        let _ = self.task.await;
    }
}

fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(HEAD_MS))
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .half_close(false);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .max_header_list_size(u32::try_from(HEAD_BYTES_MAX).unwrap_or(u32::MAX))
        .keep_alive_interval(Duration::from_millis(HEAD_MS))
        .keep_alive_timeout(Duration::from_millis(HEAD_MS));
    builder
}

async fn let_in(listener: TcpListener, shared: Arc<Shared>, mut ending: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    let (closing, closed) = watch::channel(false);
    loop {
        while connections.try_join_next().is_some() {}
        let place = tokio::select! {
            biased;
            _ = ending.wait_for(|ends| *ends) => break,
            place = places.clone().acquire_owned() => place,
        };
        let accepted = tokio::select! {
            biased;
            _ = ending.wait_for(|ends| *ends) => break,
            accepted = listener.accept() => accepted,
        };
        let (Ok((stream, peer)), Ok(place)) = (accepted, place) else {
            // Too many files are open, most likely; those who are being answered will close some.
            tokio::time::sleep(BREATH).await;
            continue;
        };
        connections.spawn(connection(stream, peer, shared.clone(), closed.clone(), place));
    }
    drop(listener);
    // Nobody listening means that nobody is connected.
    let _ = closing.send(true);
    let all = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(Duration::from_millis(DRAIN_MS), all).await;
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    shared: Arc<Shared>,
    closed: watch::Receiver<bool>,
    place: OwnedSemaphorePermit,
) {
    // Answers are small, and whoever asks waits for them.
    let _ = stream.set_nodelay(true);
    match &shared.acceptor {
        None => talk(stream, peer, &shared, closed).await,
        Some(acceptor) => {
            let handshake = tokio::time::timeout(Duration::from_millis(HANDSHAKE_MS), acceptor.accept(stream)).await;
            if let Ok(Ok(stream)) = handshake {
                talk(stream, peer, &shared, closed).await;
            }
        }
    }
    drop(place);
}

async fn talk<S>(stream: S, peer: SocketAddr, shared: &Shared, mut closed: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let router = shared.router.clone();
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer));
        router.clone().oneshot(request)
    });
    let graceful = GracefulShutdown::new();
    let connection = shared.builder.serve_connection(TokioIo::new(stream), service);
    let watched = graceful.watch(connection.into_owned());
    let mut watched = std::pin::pin!(watched);
    tokio::select! {
        // A connection that breaks concerns nobody but its client.
        _ = watched.as_mut() => return,
        _ = closed.wait_for(|ends| *ends) => {}
    }
    tokio::select! {
        // It is over when the connection is: the shutdown itself waits for that one to be dropped, which is here.
        _ = watched.as_mut() => {}
        () = graceful.shutdown() => {}
    }
}
