//! Hands over, dies, resumes. Run it with `HANDOVER_DIE=1`, then without.

use handover::prelude::*;

async fn write(work: Work) -> Result<Done, Failure> {
    let draft = work.step("draft", || async {
        println!("drafting: this happens once");
        Ok("Dear client, your jet leaves on Friday.".to_owned())
    });
    let draft = draft.await?;
    if std::env::var_os("HANDOVER_DIE").is_some() {
        std::process::abort(); // The power fails after the draft, before the letter is handed back.
    }
    if work.resumed() {
        println!("resumed with the draft that was recorded");
    }
    Ok(Done::text(draft))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let engine = Engine::open("readme.db").await?;
    engine.register_profile(Profile::named("planner")?).await?;
    engine.register(Profile::named("writer")?.can("letters"), agent(write)).await?;

    let trip = SessionId::new("trip-42")?;
    engine.resume_session(&trip, Open::by("planner")?.asking("A jet to Nice on Friday")).await?;
    let request = Request::delegation("planner", "writer", "Write to the client", Duration::from_secs(60))?;
    let letter = engine.delegate(&trip, request.key("letter")).await?; // The same key: the same handoff.

    println!("{:?}: {}", letter.status, letter.result.body);
    println!("{} records, all verified", engine.verify().await?.records);
    Ok(engine.close().await?)
}
