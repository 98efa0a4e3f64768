//! TLS by files: a chain of certificates and its key.

use crate::start::StartError;
use std::{path::PathBuf, sync::Arc};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

/// Where the certificate and its key are, as PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificates, the server's own first.
    pub cert: PathBuf,
    /// The key.
    pub key: PathBuf,
}

/// Reads the files.
pub(crate) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, StartError> {
    let wrong = |file: &PathBuf, why: &dyn std::fmt::Display| StartError::Tls(format!("{}: {why}", file.display()));
    let chain: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(&files.cert).map_err(|error| wrong(&files.cert, &error))?.collect();
    let chain = chain.map_err(|error| wrong(&files.cert, &error))?;
    if chain.is_empty() {
        return Err(wrong(&files.cert, &"there is no certificate in it"));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| wrong(&files.key, &error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| StartError::Tls(error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, key);
    let mut config = config.map_err(|error| wrong(&files.cert, &error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
