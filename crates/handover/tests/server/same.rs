//! The same command says the same, and ends the same, here and against a server.

use crate::place::{Place, Served};

/// `ID` stands for the handoff that came last.
const LINES: &str = "
    agents register --name desk
    agents register --name anna --kind human --can review --description Reviews
    agents register more.yaml
    agents register --name bob
    agents register wrong.yaml
    agents register none.json
    agents
    agents show anna
    agents --json
    agents show nobody
    sessions open trip --by desk --asking Nice
    sessions open trip --by desk
    hand-off --session trip --to anna --task Review --payload @seats.json
    hand-off --session trip --to anna --task Review --payload @none.json
    hand-off --session trip --to nobody --task Review
    hand-off --session trip --to anna
    inbox anna
    inbox anna --json
    take ID --as anna
    renew ID
    give-back ID --result @seats.json --notes fine
    give-back ID --result 1
    hand-off --session trip --to anna --task Sign --needs-approval --json
    approvals
    approve ID --payload @seats.json --comment fine
    decline ID --as anna --reason busy
    hand-off --session trip --to bob --task Look
    redirect ID anna --reason 'bob is away'
    redirect ID nobody --reason x
    retry ID --reason x
    cancel ID --reason enough
    retry ID --reason 'not enough' --by boss
    cancel ID --by boss --reason enough
    handoffs
    handoffs show ID
    handoffs show ID --json
    history trip
    recommend --session trip review
    sessions
    sessions show trip
    sessions show trip --json
    graph trip
    graph trip --form mermaid --json
    graph --form svg --output team.svg
    graph trip --form dot -o none/team.dot
    stats
    audit --limit 3
    audit --session trip --event completed
    audit verify
    audit prune --dry-run
    audit export records
    audit export records --project a/b
    watch --since 1h --count 4
    watch --since 1h --count 2 --json
    agents drain bob
    agents remove bob
    sessions end trip --by desk
    verify
    explain HO0202
    frob
    sessions --limit many --json
";

fn last(place: &Place) -> String {
    let found = place.json("handoffs --limit 1");
    found[0]["id"].as_str().unwrap_or("none").to_owned()
}

#[test]
fn what_is_said_here_is_said_there() {
    let served = Served::new();
    let (here, there) = (Place::new(None), Place::new(Some(&served.url())));
    for place in [&here, &there] {
        place.write("seats.json", "{\"seats\": 4}");
        place.write("more.yaml", "agents:\n  - id: bob\n    capabilities: [search]\n");
        place.write("wrong.yaml", "agents:\n  - id: bob\n    kind: nothing\n");
    }
    for line in LINES.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let [mine, theirs] = [&here, &there].map(|place| {
            let line = if line.contains("ID ") || line.ends_with("ID") {
                line.replace(" ID", &format!(" {}", last(place)))
            } else {
                line.to_owned()
            };
            // A column is as wide as the time in it that took longest.
            place.says(&line).split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(mine, theirs, "handover {line}");
    }
    let saved = |place: &Place| std::fs::read_to_string(place.path().join("team.svg")).unwrap();
    assert_eq!(saved(&here), saved(&there));
    assert!(!there.path().join("handover.db").exists() && !served.place.path().join("records").exists());
    let exported = there.path().join("records/handover/handoff-audit");
    let file = std::fs::read_dir(exported).unwrap().next().unwrap().unwrap().path();
    let checked = there.says(&format!("audit verify {}", file.display()));
    assert!(checked.contains("all as they were written"), "{checked}");
}
