//! A way to a server that can break: connections are cut, held up or refused, at a moment that a test chooses.

use crate::Fault;
use std::{
    collections::HashMap,
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// Bytes that are carried at once.
const CHUNK: usize = 64 << 10;

/// When a connection is cut over what its client sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the server gets it.
    Unsent,
    /// As soon as the server has got it; nobody knows whether it has begun with it.
    Sent,
    /// At the next word of the server, which the client does not get: the server has done what it was asked, unless it still
    /// owed the client another answer.
    Answered,
}

/// A way to a server, on a port of its own.
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    server: String,
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Default)]
struct State {
    next: u64,
    lines: HashMap<u64, Line>,
    trap: Option<(Vec<u8>, Moment)>,
    held: bool,
    shut: bool,
    over: bool,
    cuts: usize,
}

/// A connection through it.
struct Line {
    client: TcpStream,
    server: TcpStream,
    /// The next word of the server is not passed on: it ends the connection.
    mute: bool,
}

impl Proxy {
    /// A way to a server, such as `127.0.0.1:5432`.
    ///
    /// # Errors
    /// When there is no port for it.
    pub fn to(server: &str) -> Result<Self, Fault> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(|e| Fault::of("no port for a proxy", e))?;
        let port = listener.local_addr().map_err(|e| Fault::of("no port for a proxy", e))?.port();
        let shared = Shared { server: server.to_owned(), state: Mutex::default(), bell: Condvar::new() };
        let shared = Arc::new(shared);
        let door = shared.clone();
        thread::spawn(move || door.serve(&listener));
        Ok(Self { port, shared })
    }

    /// Its port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cuts all connections. New ones are let in.
    pub fn cut(&self) {
        let mut state = self.shared.state();
        let lines: Vec<u64> = state.lines.keys().copied().collect();
        for id in lines {
            state.cut(id);
        }
        self.shared.bell.notify_all();
    }

    /// Cuts a connection once, the next one whose client sends these bytes.
    pub fn cut_at(&self, bytes: &[u8], moment: Moment) {
        self.shared.state().trap = Some((bytes.to_vec(), moment));
    }

    /// Holds up all bytes in both directions, or lets them go on.
    pub fn hold(&self, held: bool) {
        self.shared.state().held = held;
        self.shared.bell.notify_all();
    }

    /// Lets nobody in any more, or again. Connections that stand are not touched.
    pub fn shut(&self, shut: bool) {
        self.shared.state().shut = shut;
    }

    /// How many connections were cut so far.
    #[must_use]
    pub fn cuts(&self) -> usize {
        self.shared.state().cuts
    }

    /// Waits until so many were cut; false when it takes longer than this.
    #[must_use]
    pub fn wait_for_cuts(&self, count: usize, most: Duration) -> bool {
        let state = self.shared.state();
        let waited = self.shared.bell.wait_timeout_while(state, most, |state| state.cuts < count);
        waited.is_ok_and(|(_, waited)| !waited.timed_out())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.state().over = true;
        self.cut();
        // Whoever waits for the next connection looks up.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(self: Arc<Self>, listener: &TcpListener) {
        for client in listener.incoming().flatten() {
            let (over, shut) = {
                let state = self.state();
                (state.over, state.shut)
            };
            if over {
                return;
            }
            if shut {
                continue;
            }
            let me = self.clone();
            // A server that cannot be reached looks like one that hangs up.
            thread::spawn(move || TcpStream::connect(&me.server).and_then(|server| me.join(client, server)));
        }
    }

    fn join(self: &Arc<Self>, client: TcpStream, server: TcpStream) -> std::io::Result<()> {
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        let (from_client, from_server) = (client.try_clone()?, server.try_clone()?);
        let (to_client, to_server) = (client.try_clone()?, server.try_clone()?);
        let id = {
            let mut state = self.state();
            state.next += 1;
            let id = state.next;
            state.lines.insert(id, Line { client, server, mute: false });
            id
        };
        let me = self.clone();
        thread::spawn(move || me.upward(id, from_client, to_server));
        let me = self.clone();
        thread::spawn(move || me.downward(id, from_server, to_client));
        Ok(())
    }

    /// From the client to the server, with an eye on what is sent.
    fn upward(&self, id: u64, mut from: TcpStream, mut to: TcpStream) {
        let (mut chunk, mut last) = (vec![0; CHUNK], Vec::new());
        while let Ok(count @ 1..) = from.read(&mut chunk) {
            last.extend_from_slice(&chunk[..count]);
            self.wait_while_held();
            let sprung = self.state().spring(id, &last);
            if sprung != Some(Moment::Unsent) && to.write_all(&chunk[..count]).is_err() {
                break;
            }
            if matches!(sprung, Some(Moment::Unsent | Moment::Sent)) {
                return self.cut(id);
            }
            // What is looked for may come in two parts.
            let keep = last.len().saturating_sub(CHUNK);
            last.drain(..keep);
        }
        self.over(id);
    }

    fn downward(&self, id: u64, mut from: TcpStream, mut to: TcpStream) {
        let mut chunk = vec![0; CHUNK];
        while let Ok(count @ 1..) = from.read(&mut chunk) {
            self.wait_while_held();
            if self.state().lines.get(&id).is_some_and(|line| line.mute) {
                return self.cut(id);
            }
            if to.write_all(&chunk[..count]).is_err() {
                break;
            }
        }
        self.over(id);
    }

    fn cut(&self, id: u64) {
        self.state().cut(id);
        self.bell.notify_all();
    }

    /// One side has hung up: so does the other.
    fn over(&self, id: u64) {
        if let Some(line) = self.state().lines.remove(&id) {
            line.hang_up();
        }
    }

    fn wait_while_held(&self) {
        let state = self.state();
        drop(self.bell.wait_while(state, |state| state.held && !state.over));
    }
}

impl State {
    fn cut(&mut self, id: u64) {
        if let Some(line) = self.lines.remove(&id) {
            line.hang_up();
            self.cuts += 1;
        }
    }

    /// Whether the trap is sprung by these bytes. It is sprung once.
    fn spring(&mut self, id: u64, bytes: &[u8]) -> Option<Moment> {
        let (wanted, moment) = self.trap.as_ref()?;
        if !bytes.windows(wanted.len().max(1)).any(|part| part == wanted) {
            return None;
        }
        let moment = *moment;
        self.trap = None;
        if let Some(line) = self.lines.get_mut(&id) {
            // A quick server could answer before the line is cut: nobody is to hear that.
            line.mute = moment != Moment::Unsent;
        }
        Some(moment)
    }
}

impl Line {
    fn hang_up(&self) {
        let _ = self.client.shutdown(Shutdown::Both);
        let _ = self.server.shutdown(Shutdown::Both);
    }
}
