//! Encryption on the way to the database, with the TLS that the rest of the program has.

use crate::StoreError;
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject};
use rustls_platform_verifier::BuilderVerifierExt;
use std::{
    future::Future,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::{TlsConnector, client};

/// How connections are encrypted, where they are.
#[derive(Clone)]
pub(super) struct Tls(Option<TlsConnector>);

impl Tls {
    /// Not at all.
    pub(super) fn none() -> Self {
        Self(None)
    }
}

fn failed(error: impl std::fmt::Display) -> StoreError {
    StoreError::Failed(format!("no encryption for the database: {error}"))
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn connector(config: ClientConfig) -> Tls {
    Tls(Some(TlsConnector::from(Arc::new(config))))
}

/// Encrypted, whoever the other side is: as `require` and `prefer` mean it everywhere.
pub(super) fn unchecked() -> Result<Tls, StoreError> {
    let builder = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
    let config = builder.map_err(failed)?.dangerous().with_custom_certificate_verifier(Arc::new(Anybody(provider())));
    Ok(connector(config.with_no_client_auth()))
}

/// Encrypted, and only with whom the certificates name: those of the machine, or those of a file.
pub(super) fn checked(roots: Option<&str>) -> Result<Tls, StoreError> {
    let builder = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
    let builder = builder.map_err(failed)?;
    let config = match roots {
        None => builder.with_platform_verifier().map_err(failed)?.with_no_client_auth(),
        Some(path) => {
            let mut store = RootCertStore::empty();
            let file = |error| failed(format!("{path}: {error}"));
            for certificate in CertificateDer::pem_file_iter(path).map_err(file)? {
                store.add(certificate.map_err(file)?).map_err(failed)?;
            }
            builder.with_root_certificates(store).with_no_client_auth()
        }
    };
    Ok(connector(config))
}

/// Takes any certificate; the handshake itself must be right.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type TlsConnect = Connect;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> Result<Connect, io::Error> {
        // A connection over a socket of this machine has no name, and is not encrypted.
        let name = ServerName::try_from(domain.to_owned()).ok();
        Ok(Connect { connector: self.0.clone(), name })
    }
}

/// One handshake.
pub(super) struct Connect {
    connector: Option<TlsConnector>,
    name: Option<ServerName<'static>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Connect {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let both = self.connector.zip(self.name);
            let (connector, name) = both.ok_or_else(|| io::Error::other("no encryption, or no name of the host"))?;
            Ok(Encrypted(connector.connect(name, stream).await?))
        })
    }
}

/// An encrypted connection.
pub(super) struct Encrypted<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
