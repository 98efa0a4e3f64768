//! A program and all that it started, ended together.

use tokio::process::Child;

/// The group of a program. Whatever is left of it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Group(#[cfg_attr(not(unix), allow(dead_code))] Option<u32>);

impl Group {
    pub(crate) fn of(child: &Child) -> Self {
        Self(child.id())
    }

    /// Tells all of them to end.
    pub(crate) fn terminate(&self) {
        #[cfg(unix)]
        self.signal(nix::sys::signal::Signal::SIGTERM);
    }

    /// Ends all of them.
    pub(crate) fn kill(&self) {
        #[cfg(unix)]
        self.signal(nix::sys::signal::Signal::SIGKILL);
    }

    #[cfg(unix)]
    fn signal(&self, signal: nix::sys::signal::Signal) {
        let Some(id) = self.0.and_then(|id| i32::try_from(id).ok()) else { return };
        // The usual case is that nothing is left, which is no trouble.
        let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(id), signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
