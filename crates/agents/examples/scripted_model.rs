//! Serves a script as a model: `scripted_model SCRIPT [ADDRESS]`. Prints where it listens, and ends with its input.

use handover_agents::scripted::{Script, serve};
use std::{
    error::Error,
    io::{self, sink, stdin},
    net::SocketAddr,
};
use tokio::task::spawn_blocking;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: scripted_model SCRIPT [ADDRESS]")?;
    let address: SocketAddr = arguments.next().as_deref().unwrap_or("127.0.0.1:0").parse()?;
    let script = Script::read(path).map_err(|error| error.to_string())?;
    let server = serve(script, address).await?;
    println!("http://{}", server.address());
    // Whoever started this holds the other end: when they are gone, so is this.
    spawn_blocking(|| io::copy(&mut stdin(), &mut sink())).await??;
    server.stop().await;
    Ok(())
}
