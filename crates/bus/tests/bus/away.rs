//! Without a server everything goes on, and when it is back nothing is missing.

use crate::house::{House, caught_up, until};
use handover_bus::{Address, BusSettings};
use handover_stand::{Nats, Proxy, free_port};

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_and_comes_back_misses_nothing() {
    let mut nats = Nats::start().unwrap();
    let house = House::at(&nats.url()).await;
    let bus = house.bus().await;
    house.talk("one", 50).await;
    caught_up(&bus).await;
    nats.kill().unwrap();
    until(async || !bus.status().connected).await;
    house.talk("two", 50).await;
    let status = bus.status();
    assert!(status.lag >= 50 && status.problem.is_some(), "{status:?}");
    nats.start_again().unwrap();
    caught_up(&bus).await;
    let client = async_nats::connect(nats.url()).await.unwrap();
    house.agrees(&client).await;
    until(async || bus.status().problem.is_none()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_starts_without_a_server_and_publishes_when_there_is_one() {
    let port = free_port().unwrap();
    let house = House::at(&format!("nats://127.0.0.1:{port}")).await;
    let bus = house.bus().await;
    house.talk("one", 10).await;
    assert_eq!((bus.status().connected, bus.status().position), (false, 0));
    let nats = Nats::start_on(port).unwrap();
    caught_up(&bus).await;
    let client = async_nats::connect(nats.url()).await.unwrap();
    house.agrees(&client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_break_in_the_middle_lose_and_double_nothing() {
    let nats = Nats::start().unwrap();
    let proxy = Proxy::to(&format!("127.0.0.1:{}", nats.port())).unwrap();
    let house = House::at(&format!("nats://127.0.0.1:{}", proxy.port())).await;
    let bus = house.bus().await;
    let working = async {
        for round in 0..40 {
            house.talk(&format!("s{}", round % 4), 5).await;
            if round % 8 == 7 {
                proxy.cut();
            }
        }
    };
    working.await;
    caught_up(&bus).await;
    let client = async_nats::connect(nats.url()).await.unwrap();
    house.agrees(&client).await;
    assert!(proxy.cuts() >= 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_told_and_never_shown() {
    let nats = Nats::start_guarded("ada", "lovelace").unwrap();
    let mut house = House::at(&nats.url()).await;
    let address = |password: &str| Address::new(&format!("nats://ada:{password}@127.0.0.1:{}", nats.port())).unwrap();
    house.settings = BusSettings { address: address("byron-secret"), ..house.settings };
    let bus = house.bus().await;
    until(async || bus.status().problem.is_some_and(|said| said.to_lowercase().contains("authorization"))).await;
    assert!(!format!("{:?} {:?}", bus.status(), house.settings).contains("secret"));
    assert_eq!(bus.status().address, format!("nats://127.0.0.1:{}", nats.port()));
    drop(bus);
    house.settings.address = address("lovelace");
    let bus = house.bus().await;
    caught_up(&bus).await;
}
