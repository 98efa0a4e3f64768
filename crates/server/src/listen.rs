//! Connections: let in one by one, with a bound for how many and for how slow, and finished when the server ends.

use crate::{door::Peer, patience::Patient};
use axum::{
    Router,
    body::Body,
    http::{Request, Response},
};
use handover_core::limits::{CONNECTIONS_MAX, DRAIN_MS, HANDSHAKE_MS, HEAD_BYTES_MAX, HEADERS_MAX, STREAMS_MAX};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::graceful::{GracefulConnection, GracefulShutdown},
    service::TowerToHyperService,
};
use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::{JoinHandle, JoinSet},
};
use tokio_rustls::TlsAcceptor;

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

/// Lets this process have as many files open as the system allows: each connection is one.
#[cfg(unix)]
pub(crate) fn more_files() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    // What is not allowed stays as it is: then fewer can be let in at once, and the rest waits.
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
}

/// Elsewhere there is no such limit.
#[cfg(not(unix))]
pub(crate) fn more_files() {}

/// What every connection needs.
struct Shared {
    acceptor: Option<TlsAcceptor>,
    router: Router,
    head: Duration,
}

impl Listening {
    pub(crate) fn begin(
        listener: TcpListener,
        acceptor: Option<TlsAcceptor>,
        router: Router,
        head: Duration,
        ending: watch::Receiver<bool>,
    ) -> Self {
        let shared = Arc::new(Shared { acceptor, router, head });
        Self { task: tokio::spawn(let_in(listener, shared, ending)) }
    }

    pub(crate) async fn end(self) {
        // It fails only by a panic, and then there is nothing left to end.
        let _ = self.task.await;
    }
}

/// Whoever sends no head in time, the first or a further one, is hung up on.
fn one(head: Duration) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(head).max_headers(HEADERS_MAX).max_buf_size(HEAD_BYTES_MAX);
    builder
}

fn two(head: Duration) -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .max_header_list_size(u32::try_from(HEAD_BYTES_MAX).unwrap_or(u32::MAX))
        .keep_alive_interval(head)
        .keep_alive_timeout(head);
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
        // The second version of HTTP is spoken where both sides have agreed on it before, which TLS does.
        None => talk(one(shared.head).serve_connection(io(stream), service(&shared, peer)), closed).await,
        Some(acceptor) => {
            let handshake = tokio::time::timeout(Duration::from_millis(HANDSHAKE_MS), acceptor.accept(stream)).await;
            if let Ok(Ok(stream)) = handshake {
                if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                    talk(two(shared.head).serve_connection(io(stream), service(&shared, peer)), closed).await;
                } else {
                    talk(one(shared.head).serve_connection(io(stream), service(&shared, peer)), closed).await;
                }
            }
        }
    }
    drop(place);
}

fn io<S>(stream: S) -> TokioIo<Patient<S>> {
    TokioIo::new(Patient::new(stream))
}

/// What answers the requests of one connection.
fn service(shared: &Shared, peer: SocketAddr) -> TowerToHyperService<Service> {
    TowerToHyperService::new(Service { router: shared.router.clone(), peer })
}

/// The routes, told who asks.
#[derive(Clone)]
struct Service {
    router: Router,
    peer: SocketAddr,
}

impl tower::Service<Request<Incoming>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = axum::routing::future::RouteFuture<Infallible>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        tower::Service::<Request<Body>>::poll_ready(&mut self.router, cx)
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(self.peer));
        self.router.call(request)
    }
}

async fn talk<C: GracefulConnection>(connection: C, mut closed: watch::Receiver<bool>) {
    let graceful = GracefulShutdown::new();
    let mut watched = std::pin::pin!(graceful.watch(connection));
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
