//! Agents by their options: what is kept and shown, and what is refused.

use crate::place::Place;
use expect_test::expect;

#[test]
fn every_kind_is_registered_and_shown() {
    let place = Place::new();
    place.write("writer.md", "Write short sentences.\nNever lie.\n");
    std::fs::create_dir(place.path().join("tools")).unwrap();
    let shown = place.says(
        "agents register --name writer --kind llm --model small --provider local --instructions @writer.md --tools handoff,recall
         agents show writer
         agents register --name counter --kind command --can count=0.8 --time 10m -- python3 count.py --fast
         agents show counter
         agents register --name sorter --kind command --folder tools -- sh sort.sh
         agents show sorter
         agents register --name bank --kind http --url https://example.org/work --secret-env BANK_SECRET
         agents show bank
         agents register --name anna --kind human --description Reviews
         agents",
    );
    expect![[r#""#]].assert_eq(&shown);
}

#[test]
fn what_lacks_or_belongs_elsewhere_is_told_with_a_hint() {
    let place = Place::new();
    let shown = place.says(
        "agents register --name a --kind llm
         agents register --name a --kind command
         agents register --name a --kind http
         agents register --name a --kind http --url ftp://example.org
         agents register --name a --model small --tools recall
         agents register --name a --instructions hello
         agents register --name a --kind human -- sh work.sh
         agents register --name a --kind llm --model small --folder .
         agents register --name a --kind command --url https://example.org -- sh
         agents register --name a --secret-env S
         agents register --name a --kind command --folder nowhere -- sh
         agents register --name a --kind llm --model small --instructions @nowhere.md
         agents register --kind llm --model small
         agents register --name a --kind robot",
    );
    expect![[r#""#]].assert_eq(&shown);
}
