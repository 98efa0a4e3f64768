//! A team from a file: who gets a task and why, what a person must approve, and what the guards stop.
//! `cargo run --example team`

use handover::{prelude::*, settings};

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let folder = std::env::temp_dir().join(format!("handover-team-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let engine = Engine::open(folder.join("team.db")).await?;
    let team = settings::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/handover.yaml"))
        .map_err(|mistakes| mistakes.to_string())?;
    println!("{} agents from examples/handover.yaml", team.apply(&engine).await?.registered.len());

    let id = SessionId::new("release-7")?;
    engine.open_session(&id, Open::by("generalist")?.asking("Get the export fix out today")).await?;

    println!("\nWho would get it? Nothing is written by asking.");
    let minute = Duration::from_secs(60);
    let task = "find out why the nightly job is slow";
    let routed = engine.route(&id, &Request::routed("generalist", task, Strategy::Semantic, minute)?).await?;
    for candidate in routed.candidates.iter().take(3) {
        println!("  {:<10} {:.2}  {}{}", candidate.agent, candidate.score, candidate.why, candidate.excluded);
    }

    println!("\nThe same again, with nothing new, is stopped.");
    let tests = || Request::delegation("generalist", "tester", "Run the tests of the export", minute);
    engine.initiate(&id, tests()?).await?;
    if let Err(refused) = engine.initiate(&id, tests()?).await {
        println!("  {refused}");
    }

    println!("\nWhat goes live waits for a person, who approves exactly what they saw.");
    let ship = Request::delegation("generalist", "deployer", "Roll out 2.8.1", minute)?;
    let handoff = engine.initiate(&id, ship).await?.handoffs[0];
    let seen = engine.approvals(Some("architect")).await?.remove(0);
    println!("  rule \"{}\" asks {}", seen.rule, seen.approver.as_deref().unwrap_or("anybody"));
    let edit = Edit { description: Some("Roll out 2.8.1 to one machine".into()), ..Edit::default() };
    engine.amend(handoff, "architect", edit).await?;
    if let Err(refused) = engine.approve_exactly(handoff, "architect", "go", seen.digest).await {
        println!("  {refused}");
    }
    let now = engine.approvals(None).await?.remove(0);
    engine.approve_exactly(handoff, "architect", "one machine first", now.digest).await?;
    println!("  {handoff} is {:?}", engine.handoff(handoff).await?.status());

    println!("\nMoney is set aside before it is spent.");
    let dear = Request::delegation("generalist", "coder", "Rewrite it all", minute)?
        .budget(Budget { cost: Some(80.0), ..Budget::default() });
    if let Err(refused) = engine.initiate(&id, dear).await {
        println!("  {refused}");
    }
    println!("\n{} records, all verified", engine.verify().await?.records);
    engine.close().await?;
    Ok(std::fs::remove_dir_all(folder)?)
}
