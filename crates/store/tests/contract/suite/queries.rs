//! Every filter finds what fits, and nothing else.

use crate::{
    Open,
    dice::Dice,
    house::{House, agent, delegation, session},
    programs,
};
use handover_core::{command::Command, handoff::Status, record::Record, time::Timestamp};
use handover_store::{FiguresQuery, HandoffQuery, RecordQuery};

async fn busy_house(open: Open, folder: &std::path::Path) -> House {
    let mut house = House::on(open(folder, None));
    let mut dice = Dice::new(5);
    let ids = [house.open("one").await, house.open("two").await];
    for _ in 0..150 {
        let id = dice.pick(&ids).unwrap().clone();
        house.wait(dice.below(120_000));
        programs::step(&mut house, &id, &mut dice).await;
    }
    house.caller.tenant = "other".into();
    let id = house.open("three").await;
    let mut request = delegation("ann", "bob");
    request.task.id = "T1".into();
    house.initiate(&id, request).await;
    house
}

/// What the query should find, by looking at everything.
fn expected(house: &House, query: &RecordQuery) -> Vec<u64> {
    let fits = |position: u64, text: &str| {
        let record: Record = serde_json::from_str(text).unwrap();
        let handoff = record.handoff_id.and_then(|id| house.handoffs.get(&id));
        let tenant = &house.sessions[&record.session_id].tenant;
        position > query.after
            && query.tenant.as_ref().is_none_or(|t| t == tenant)
            && query.handoff.is_none_or(|id| record.handoff_id == Some(id))
            && query.task.as_ref().is_none_or(|t| handoff.is_some_and(|h| h.task_id() == *t))
            && query.session.as_ref().is_none_or(|s| record.session_id == *s)
            && query.from.as_ref().is_none_or(|a| handoff.is_some_and(|h| h.request.from_agent == *a))
            && query.to.as_ref().is_none_or(|a| handoff.is_some_and(|h| h.to_agent == *a))
            && query.event_type.as_ref().is_none_or(|e| record.event_type == *e)
            && query.since.is_none_or(|since| record.timestamp >= since)
            && query.until.is_none_or(|until| record.timestamp < until)
            && (query.before == 0 || position < query.before)
    };
    let found = house.records.iter().filter(|(position, record)| fits(**position, &record.3));
    let mut positions: Vec<u64> = found.map(|(position, _)| *position).collect();
    if query.latest_first {
        positions.reverse();
    }
    positions.truncate(query.limit);
    positions
}

pub async fn records_are_found_by_each_filter(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let house = busy_house(open, folder.path()).await;
    for (id, session) in &house.sessions {
        let whose = house.store.whose(id).await.unwrap().unwrap();
        assert_eq!((&whose.tenant, &whose.parties), (&session.tenant, &session.parties));
    }
    let handoffs: Vec<_> = house.handoffs.values().cloned().collect();
    let base = RecordQuery { limit: 1_000, ..RecordQuery::default() };
    let own = handoffs.iter().find(|h| h.request.task.id.is_empty()).unwrap();
    let middle = Timestamp(house.now.0 - (house.now.0 - crate::house::START) / 2);
    let last = house.records.keys().last().copied().unwrap();
    let queries = [
        base.clone(),
        RecordQuery { tenant: Some("other".into()), ..base.clone() },
        RecordQuery { handoff: Some(handoffs[0].id), ..base.clone() },
        RecordQuery { handoff: Some(handoffs[0].id), session: Some(session("one")), ..base.clone() },
        RecordQuery { handoff: Some(handoffs[0].id), session: Some(session("two")), ..base.clone() },
        RecordQuery { task: Some("T1".into()), ..base.clone() },
        RecordQuery { task: Some("T1".into()), tenant: Some("other".into()), ..base.clone() },
        RecordQuery { task: Some(own.task_id()), ..base.clone() },
        RecordQuery { session: Some(session("two")), ..base.clone() },
        RecordQuery { session: Some(session("two")), from: Some(agent("ann")), ..base.clone() },
        RecordQuery { session: Some(session("two")), after: last / 2, ..base.clone() },
        RecordQuery { from: Some(agent("ann")), ..base.clone() },
        RecordQuery { to: Some(agent("bob")), ..base.clone() },
        RecordQuery { from: Some(agent("ann")), to: Some(agent("bob")), ..base.clone() },
        RecordQuery { event_type: Some("accepted".into()), ..base.clone() },
        RecordQuery { event_type: Some("initiated".into()), to: Some(agent("cleo")), ..base.clone() },
        RecordQuery { since: Some(middle), ..base.clone() },
        RecordQuery { until: Some(middle), ..base.clone() },
        RecordQuery { since: Some(middle), until: Some(middle + 3_600_000), from: Some(agent("ann")), ..base.clone() },
        RecordQuery { after: last / 2, limit: 5, ..base.clone() },
    ];
    for query in queries {
        let found = house.store.records(&query).await.unwrap();
        let positions: Vec<u64> = found.iter().map(|record| record.position).collect();
        assert_eq!(positions, expected(&house, &query), "{query:?}");
        let other_session = query.handoff.is_some() && query.session.is_some();
        assert!(!found.is_empty() || other_session, "{query:?} tests nothing");
        for (before, limit) in [(0, 3), (last, 1_000), (last * 3 / 4, 1_000)] {
            let backwards = RecordQuery { before, limit, latest_first: true, ..query.clone() };
            let found = house.store.records(&backwards).await.unwrap();
            let positions: Vec<u64> = found.iter().map(|record| record.position).collect();
            assert_eq!(positions, expected(&house, &backwards), "{backwards:?}");
        }
    }
    let nothing = [
        RecordQuery { session: Some(session("nobody")), ..base.clone() },
        RecordQuery { handoff: Some(handover_core::ids::HandoffId(uuid::Uuid::nil())), ..base.clone() },
        RecordQuery { task: Some("nothing".into()), ..base.clone() },
        RecordQuery { from: Some(agent("nobody")), ..base.clone() },
        RecordQuery { since: Some(house.now + 86_400_000), ..base.clone() },
        RecordQuery { until: Some(Timestamp(0)), ..base.clone() },
        RecordQuery { limit: 0, ..base.clone() },
    ];
    for query in nothing {
        assert_eq!(house.store.records(&query).await.unwrap(), vec![], "{query:?}");
    }
    pages_of_a_session(&house).await;
}

async fn pages_of_a_session(house: &House) {
    let mut seqs = Vec::new();
    let mut after = 0;
    loop {
        let query = RecordQuery { session: Some(session("one")), after, limit: 3, ..RecordQuery::default() };
        let page = house.store.records(&query).await.unwrap();
        let Some(last) = page.last() else { break };
        after = last.position;
        seqs.extend(page.iter().map(|record| record.seq));
    }
    assert_eq!(seqs, (1..=house.sessions[&session("one")].head.seq).collect::<Vec<_>>());
}

pub async fn handoffs_are_found_by_each_filter(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let house = busy_house(open, folder.path()).await;
    let base = HandoffQuery { limit: 1_000, ..HandoffQuery::default() };
    let mut queries = vec![
        base.clone(),
        HandoffQuery { tenant: Some("default".into()), ..base.clone() },
        HandoffQuery { session: Some(session("two")), ..base.clone() },
        HandoffQuery { session: Some(session("two")), tenant: Some("other".into()), ..base.clone() },
        HandoffQuery { session: Some(session("two")), after: 2, ..base.clone() },
        HandoffQuery { to: Some(agent("bob")), ..base.clone() },
        HandoffQuery { from: Some(agent("ann")), to: Some(agent("cleo")), ..base.clone() },
    ];
    queries.extend(Status::ALL.map(|status| HandoffQuery { status: Some(status), ..base.clone() }));
    for query in queries {
        let found = house.store.handoffs(&query).await.unwrap();
        let fits = |h: &&std::sync::Arc<handover_core::handoff::Handoff>| {
            query.session.as_ref().is_none_or(|s| h.session_id == *s)
                && query.tenant.as_ref().is_none_or(|t| house.sessions[&h.session_id].tenant == *t)
                && query.status.is_none_or(|s| h.status() == s)
                && query.to.as_ref().is_none_or(|a| h.to_agent == *a)
                && query.from.as_ref().is_none_or(|a| h.request.from_agent == *a)
                && (query.session.is_none() || h.n > query.after)
        };
        // The order of the house is the order in which they were initiated; ids are counted in that order.
        let mut expected: Vec<_> = house.handoffs.values().filter(fits).map(|h| (**h).clone()).collect();
        expected.sort_by_key(|h| h.id);
        assert_eq!(found, expected, "{query:?}");
        let backwards = HandoffQuery { latest_first: true, limit: 2, after: 0, ..query.clone() };
        if query.after == 0 {
            let latest: Vec<_> = expected.iter().rev().take(2).cloned().collect();
            assert_eq!(house.store.handoffs(&backwards).await.unwrap(), latest, "{backwards:?}");
        }
    }
    last_of_a_session(&house).await;
}

pub async fn handoffs_are_found_between_ids(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let house = busy_house(open, folder.path()).await;
    let mut own: Vec<_> = house.handoffs.values().filter(|h| h.session_id != session("three")).map(|h| h.id).collect();
    own.sort_unstable();
    let (whole, part) = ((own[0], own[own.len() - 1]), (own[2], own[4]));
    let cases = [
        ("default", whole, 1_000, &own[..]),
        ("default", whole, 3, &own[..3]),
        ("default", part, 1_000, &own[2..=4]),
        ("default", (own[3], own[3]), 1_000, &own[3..=3]),
        ("default", (own[4], own[2]), 1_000, &[][..]),
        ("nobody", whole, 1_000, &[][..]),
    ];
    for (tenant, (first, last), limit, expected) in cases {
        let found = house.store.handoffs_between(tenant, first, last, limit).await.unwrap();
        assert_eq!(found, expected, "{tenant} {first} {last} {limit}");
    }
}

pub async fn figures_are_those_of_the_handoffs(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let house = busy_house(open, folder.path()).await;
    let base = FiguresQuery { tenant: "default".into(), limit: 1_000, ..FiguresQuery::default() };
    let middle = Timestamp(house.now.0 - (house.now.0 - crate::house::START) / 2);
    let queries = [
        base.clone(),
        FiguresQuery { limit: 3, ..base.clone() },
        FiguresQuery { tenant: "nobody".into(), limit: 3, ..base.clone() },
        FiguresQuery { workflow: Some("none".into()), limit: 3, ..base.clone() },
        FiguresQuery { session: Some(session("two")), ..base.clone() },
        FiguresQuery { since: Some(middle), ..base.clone() },
        FiguresQuery { since: Some(house.now + 86_400_000), ..base.clone() },
        FiguresQuery { session: Some(session("three")), ..base.clone() },
        FiguresQuery { session: Some(session("nowhere")), ..base.clone() },
        FiguresQuery { workflow: Some("none".into()), ..base.clone() },
    ];
    for query in queries {
        let found = house.store.figures(&query).await.unwrap();
        let is_looked_at = |h: &&std::sync::Arc<handover_core::handoff::Handoff>| {
            query.session.as_ref().is_none_or(|s| h.session_id == *s)
                && query.since.is_none_or(|since| h.opened_at >= since)
        };
        let mut all: Vec<_> = house.handoffs.values().filter(is_looked_at).collect();
        all.sort_by_key(|h| h.id);
        // Those of others are looked at too, and count against the limit.
        let latest = all[all.len().saturating_sub(query.limit)..].iter();
        let latest =
            latest.filter(|h| house.sessions[&h.session_id].tenant == query.tenant && query.workflow.is_none());
        let name = |number: usize| found.names[number].as_str();
        let shown: Vec<_> = found.rows.iter().map(|r| (name(r.from), name(r.to), r.status, r.took_ms)).collect();
        let took = |h: &handover_core::handoff::Handoff| h.closed_at.map(|at| at.since(h.opened_at));
        let expected: Vec<_> =
            latest.map(|h| (h.request.from_agent.as_str(), h.to_agent.as_str(), h.status(), took(h))).collect();
        assert_eq!(shown, expected, "{query:?}");
        assert_eq!(found.cut, all.len() > query.limit, "{query:?}");
    }
}

async fn last_of_a_session(house: &House) {
    let last = HandoffQuery { session: Some(session("one")), latest_first: true, limit: 1, ..HandoffQuery::default() };
    let last = house.store.handoffs(&last).await.unwrap();
    assert_eq!(last[0].n, house.sessions[&session("one")].handoffs);
    let before = HandoffQuery {
        session: Some(session("one")),
        latest_first: true,
        after: last[0].n,
        limit: 1,
        ..HandoffQuery::default()
    };
    assert_eq!(house.store.handoffs(&before).await.unwrap()[0].n, last[0].n - 1);
    let nobody = HandoffQuery { session: Some(session("nobody")), limit: 5, ..HandoffQuery::default() };
    assert_eq!(house.store.handoffs(&nobody).await.unwrap(), vec![]);
}

pub async fn messages_come_by_number(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    for i in 1..=10 {
        house.say(&id, &format!("words {i}")).await;
    }
    let store = house.store.clone();
    let said = &house.messages[&id];
    assert_eq!(store.messages(&id, 1, 10).await.unwrap(), *said);
    assert_eq!(store.messages(&id, 3, 5).await.unwrap(), said[2..5]);
    assert_eq!(store.messages(&id, 9, 99).await.unwrap(), said[8..]);
    assert_eq!(store.messages(&id, 11, 12).await.unwrap(), vec![]);
    assert_eq!(store.messages(&id, 5, 4).await.unwrap(), vec![]);
    assert_eq!(store.messages(&session("nobody"), 1, 9).await.unwrap(), vec![]);
    house.run(&id, Command::Say { messages: Vec::new(), after: Some(10) }).await.unwrap();
}
