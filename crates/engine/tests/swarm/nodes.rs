//! Where a swarm plays: one engine on a file of its own, or several that share one. Those hear nothing of each other but what
//! they ask for: every session that they remember is old.

use super::{
    cast::{self, BOOK, House, TENANTS},
    rng::Rng,
    twin::Twins,
};
use handover_core::command::Caller;
use handover_engine::{Engine, Filter, Options, Subscription, clock::ManualClock};
use handover_store::{Hooks, Store};
use std::{path::Path, sync::Arc};

pub struct Nodes {
    count: usize,
    engines: Vec<Engine>,
    twins: Option<Arc<Twins>>,
}

impl Nodes {
    pub async fn open(count: usize, file: &Path, options: impl Fn() -> Options, clock: &ManualClock) -> Self {
        if count == 1 {
            return Self { count, engines: vec![Engine::open_with(file, options()).await.unwrap()], twins: None };
        }
        let twins = Twins::open(file, clock.clone());
        let mut engines = Vec::new();
        for n in 0..count {
            let name = format!("node {n}");
            let open = async |hooks: Hooks| Ok(Arc::new(twins.node(&name, hooks)) as Arc<dyn Store>);
            engines.push(Engine::on_store(options(), open).await.unwrap());
            // The first one tells what happened.
            if n > 0 {
                twins.deafen(&name);
            }
        }
        Self { count, engines, twins: Some(twins) }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn first(&self) -> Engine {
        self.engines[0].clone()
    }

    /// Another one of several, with what is counted over all of them up to date.
    pub async fn any(&self, rng: &mut Rng) -> Option<Engine> {
        self.twins.as_ref()?;
        let engine = self.engines[rng.index(self.count)].clone();
        engine.catch_up().await.unwrap();
        Some(engine)
    }

    /// Closes all of them.
    pub async fn close(&self) {
        for engine in &self.engines {
            engine.close().await.unwrap();
        }
    }
}

/// How each of them is opened.
pub fn options(clock: &ManualClock, house: &House) -> impl Fn() -> Options {
    let (policy, clock) = (cast::policy(house), clock.clone());
    move || Options {
        policy: policy.clone(),
        clock: Some(Arc::new(clock.clone())),
        background: false,
        sync: false,
        ..Options::default()
    }
}

/// The engine for each tenant.
pub fn tenants(engine: &Engine) -> Vec<Engine> {
    TENANTS.iter().map(|name| engine.for_caller(Caller::new(*name, *name).of_house())).collect()
}

/// The engine for each tenant, and what each of them hears; the book of the house, too.
pub fn handles(engine: &Engine) -> (Vec<Engine>, Vec<Subscription>) {
    let handle = |name: &str| engine.for_caller(Caller::new(name, name).of_house());
    let feeds = TENANTS.iter().chain([&BOOK]).map(|name| handle(name).subscribe(Filter::default(), None)).collect();
    (tenants(engine), feeds)
}
