//! A whole installation moves from a file into a database.

use crate::place::{Place, told};

#[test]
fn an_installation_moves_and_goes_on() {
    let place = Place::new();
    let here = |args: &[&str]| {
        let output = place.command(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", told(&output));
        output
    };
    here(&["agents", "register", "--name", "desk", "--kind", "worker"]);
    here(&["agents", "register", "--name", "smith", "--kind", "worker"]);
    here(&["hand-off", "--new", "--session", "s1", "--from", "desk", "--to", "smith", "--task", "forge"]);
    let migrate = ["migrate", "--from", "handover.db", "--to", &place.store, "--json"];
    let told_of: serde_json::Value = serde_json::from_slice(&here(&migrate).stdout).unwrap();
    assert_eq!(told_of["tables"]["handoffs"], 1);
    assert_eq!(told_of["verified"]["records"], told_of["tables"]["records"]);
    let inbox = place.json(&["inbox", "smith"]);
    assert!(inbox.to_string().contains("forge"), "{inbox}");
    place.json(&["hand-off", "--session", "s1", "--from", "desk", "--to", "smith", "--task", "polish"]);
    assert!(place.output(&["verify"]).status.success());
    // What is there already is not written over.
    let again = place.command(&migrate).output().unwrap();
    assert!(!again.status.success() && told(&again).contains("empty"), "{}", told(&again));
}

#[test]
fn a_file_that_is_in_use_or_missing_is_not_moved() {
    let place = Place::new();
    let mut keep = place.command(&["keep", "--json"]);
    let mut keep = keep.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(keep.stdout.take().unwrap()), &mut line).unwrap();
    let held = place.command(&["migrate", "--from", "handover.db", "--to", &place.store]).output().unwrap();
    keep.kill().unwrap();
    keep.wait().unwrap();
    assert!(!held.status.success() && told(&held).contains("HO0802"), "{}", told(&held));
    for (from, to, said) in
        [("nothing.db", place.store.as_str(), "no database"), ("handover.db", "other.db", "PostgreSQL")]
    {
        let output = place.command(&["migrate", "--from", from, "--to", to]).output().unwrap();
        assert!(!output.status.success() && told(&output).contains(said), "{}", told(&output));
    }
}

#[test]
fn a_trail_that_was_tampered_with_is_found_at_its_new_place() {
    let place = Place::new();
    let here = |args: &[&str]| assert!(place.command(args).output().unwrap().status.success(), "{args:?}");
    here(&["agents", "register", "--name", "desk", "--kind", "worker"]);
    here(&["agents", "register", "--name", "smith", "--kind", "worker"]);
    here(&["hand-off", "--new", "--session", "s1", "--from", "desk", "--to", "smith", "--task", "forge"]);
    let file = rusqlite::Connection::open(place.path().join("handover.db")).unwrap();
    let changed = "UPDATE records SET text = replace(text, 'forge', 'forgo') WHERE text LIKE '%forge%'";
    assert!(file.execute(changed, []).unwrap() > 0);
    drop(file);
    let output = place.command(&["migrate", "--from", "handover.db", "--to", &place.store]).output().unwrap();
    let told = told(&output);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("HO0901") && told.contains("do not work with this database"), "{told}");
}
