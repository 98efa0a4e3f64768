//! A person who runs the work steps in from a terminal.

use crate::Place;
use expect_test::expect;

#[test]
fn somebody_else_takes_it_and_what_came_to_nothing_is_tried_once_more() {
    let place = Place::with_team();
    place.good("hand-off --session trip --to anna --task Read");
    let id = place.json("inbox anna")[0]["id"].as_str().unwrap().to_owned();
    place.good(&format!("take {id} --as anna"));
    place.says(
        &format!(
            "redirect {id} anna
             redirect {id} bbo --reason away
             redirect {id} bob --reason 'anna is away' --by ann
             give-back {id} --result 1
             inbox anna
             retry {id} --reason 'once more'
             cancel {id} --as anna
             cancel {id} --by ann --reason enough
             redirect {id} anna --reason late
             retry {id} --reason 'once more' --by ann
             retry {id} --reason 'once more' --by ann"
        ),
        &expect![[r#"
            $ handover redirect UUID anna
            ! error: the following required arguments were not provided:
            !   --reason <TEXT>
            ! 
            ! Usage: handover redirect --reason <TEXT> <ID> <AGENT>
            ! 
            ! For more information, try '--help'.
            = 3
            $ handover redirect UUID bbo --reason away
            ! handover: HO0208 "bbo" is not registered
            !   hint: did you mean "bob"?
            !   more: handover explain HO0208
            = 1
            $ handover redirect UUID bob --reason 'anna is away' --by ann
            aaaaaaaa  desk → bob  offered
            $ handover give-back UUID --result 1
            ! handover: HO0504 nobody has it: it is offered
            !   hint: take it first: handover take aaaaaaaa --as bob
            !   more: handover explain HO0504
            = 1
            $ handover inbox anna
            ! nothing waits for anna; see what happens: handover watch --agent anna
            $ handover retry UUID --reason 'once more'
            ! handover: HO0507 desk->bob: handoff UUID is on offer to bob already
            !   hint: redirect it to give it to somebody else
            !   more: handover explain HO0507
            = 1
            $ handover cancel UUID --as anna
            aaaaaaaa  desk → bob  cancelled
            $ handover cancel UUID --by ann --reason enough
            ! handover: HO0502 desk->bob: handoff UUID is cancelled already
            !   hint: Read its result. For more work, initiate a new handoff; what came to nothing can be retried.
            !   more: handover explain HO0502
            = 1
            $ handover redirect UUID anna --reason late
            ! handover: HO0502 desk->bob: handoff UUID is cancelled already
            !   hint: Read its result. For more work, initiate a new handoff; what came to nothing can be retried.
            !   more: handover explain HO0502
            = 1
            $ handover retry UUID --reason 'once more' --by ann
            aaaaaaaa  desk → anna  offered
            $ handover retry UUID --reason 'once more' --by ann
            ! handover: HO0704 desk->bob: handoff UUID is tried once more already, as UUID
            !   hint: wait for that one, redirect it, or cancel it
            !   more: handover explain HO0704
            = 1
        "#]],
    );
    let history = place.good("history trip");
    assert!(history.contains("once more after 1: Read"), "{history}");
}
