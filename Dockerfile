# Handover as a container: docker build -t handover . It starts when there is a key: see docs/guides/server.md.
# The version is the one of rust-version in Cargo.toml.
FROM rust:1.95-slim-trixie AS build
# The embedded database is compiled from source.
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --package handover && cp target/dist/handover /usr/local/bin/handover

FROM debian:trixie-slim
# Certificates, for services and providers that are called.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/* \
    && groupadd --system --gid 10001 handover \
    && useradd --system --uid 10001 --gid handover --home-dir /data --shell /usr/sbin/nologin handover \
    && install --directory --owner handover --group handover --mode 0700 /data
COPY --from=build /usr/local/bin/handover /usr/local/bin/handover
USER handover
WORKDIR /data
VOLUME /data
ENV HANDOVER_DB=/data/handover.db HANDOVER_LOG_FORM=json
EXPOSE 7800
# SIGTERM finishes what is in flight.
STOPSIGNAL SIGTERM
# It asks /health/ready, without a key. Where the server speaks TLS, name its address as the certificate has it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s --retries=3 CMD ["handover", "health"]
ENTRYPOINT ["handover"]
# Beyond this machine it starts with keys and with TLS alone, or behind something that speaks TLS: see docs/guides/server.md.
CMD ["serve", "--listen", "0.0.0.0:7800", "--behind-proxy"]
