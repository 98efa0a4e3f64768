//! The implementation planner: turns passages into steps, each with what it comes from.

use super::{left, pack, plan::Plan, question, round, scout};
use crate::{
    bench::text,
    room::{Room, ended},
    words::counted,
};
use handover_core::session::ArtifactType;
use handover_engine::agent::{Done, Failure, Work};
use serde_json::json;

pub(super) async fn run(work: &Work, room: &Room) -> Result<Done, Failure> {
    let (question, round) = (question(work), round(work));
    let passages = pack::passages(work.payload());
    let plan = Plan::by(&passages, &scout::touched(work.payload()));
    let pack = text(work.payload(), "research_pack").unwrap_or("no research pack");
    let path = room.write(work, &format!("ImplementationPlan-{round}.md"), plan.document(&question, pack)).await?;
    let data = json!({"implementation_plan": path, "plan": plan});
    let say = format!("{} from {}", counted(plan.steps.len(), "step"), counted(passages.len(), "passage"));
    let update = left(1, ArtifactType::Document, &path, "Implementation plan");
    Ok(ended(work, "PLAN_COMPLETE", data, say).update(update))
}
