//! What encrypted connections are made with: one provider for the whole process.

use std::sync::Once;

/// Makes `ring` the provider of this process, unless there is one already. Whoever opens a connection calls it before.
pub fn install() {
    static ONCE: Once = Once::new();
    // Another part of the process may have chosen its provider before: then that one counts.
    ONCE.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}
