//! The examples of the guide, run as they stand there.

use crate::place::Place;

const GUIDE: &str = include_str!("../../../../docs/guides/agents.md");

/// The blocks of the guide that begin with this line.
fn blocks(opening: &str) -> Vec<&'static str> {
    let open = format!("```{opening}\n");
    GUIDE.split(open.as_str()).skip(1).map(|rest| rest.split_once("```").expect("the block ends").0).collect()
}

#[test]
fn the_files_of_the_guide_are_good_and_its_program_works() {
    let place = Place::new();
    place.write("handover.yaml", blocks("yaml")[0]);
    place.write("script.yaml", blocks("yaml script")[0]);
    place.write("count.py", blocks("python count")[0]);
    let shown = place.says("check handover.yaml\n agents register handover.yaml");
    assert!(shown.contains("all good") && !shown.contains("= 1"), "{shown}");
    place.json("sessions open s --by desk");
    let _keep = place.keep();
    let counted =
        place.json("hand-off --session s --to counter --task Count --payload '{\"text\": \"one two\"}' --wait");
    assert_eq!(counted["returns"][0]["result"]["body"]["words"], 2, "{counted:#}");
    let written = place.json("hand-off --session s --to writer --task 'Write a line' --wait");
    assert_eq!(written["returns"][0]["status"], "success", "{written:#}");
}

#[test]
fn the_worker_of_the_guide_is_the_one_of_the_examples() {
    let worker = include_str!("../../../../examples/worker/worker.py");
    assert!(worker.contains(blocks("python worker")[0].trim_end()), "the guide shows another worker");
}
