//! Going in circles: the same again, the work back where it was, waiting for one another, and too fast.

use crate::check;
use expect_test::expect;

#[test]
fn the_same_to_the_same_is_refused_among_the_last_three() {
    check(
        "policy handoffs=20
         open s by a
         initiate h1 a->b delegation
         accept h1
         return h1 success
         initiate h2 a->b delegation
         initiate h3 a->c delegation
         initiate h4 a->d delegation
         initiate h5 a->b delegation
         initiate h6 a->e delegation
         initiate h7 a->b delegation",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation: made
            accept h1: done
            return h1 success: done
            initiate h2 a->b delegation: refused HO0704 to_agent: a handed the same to b within the last 3 handoffs
            initiate h3 a->c delegation: made
            initiate h4 a->d delegation: made
            initiate h5 a->b delegation: refused HO0704 to_agent: a handed the same to b within the last 3 handoffs
            initiate h6 a->e delegation: made
            initiate h7 a->b delegation: made"#]],
    );
}

#[test]
fn case_and_spaces_do_not_make_it_new() {
    check(
        "open s by a
         initiate h1 a->b delegation task=find_a_jet
         initiate h2 a->b delegation task=FIND__A___Jet
         initiate h2 a->b delegation task=find_a_bus",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation task=find_a_jet: made
            initiate h2 a->b delegation task=FIND__A___Jet: refused HO0704 to_agent: a handed the same to b within the last 3 handoffs
            initiate h2 a->b delegation task=find_a_bus: made"#]],
    );
}

#[test]
fn a_variable_an_artifact_a_word_of_the_user_a_decision_or_other_data_make_it_new() {
    check(
        "policy handoffs=20
         open s by a
         initiate h1 a->b delegation
         set a x=1
         initiate h2 a->b delegation
         set a x=1
         initiate h3 a->b delegation
         initiate h3 a->b delegation set=x:2
         keep a plan.txt
         initiate h4 a->b delegation
         say and on Sunday
         initiate h5 a->b delegation
         decide a go
         initiate h6 a->b delegation
         initiate h7 a->b delegation payload=seats
         initiate h8 a->b delegation payload=seats",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation: made
            set a x=1: done
            initiate h2 a->b delegation: made
            set a x=1: done
            initiate h3 a->b delegation: refused HO0704 to_agent: a handed the same to b within the last 3 handoffs
            initiate h3 a->b delegation set=x:2: made
            keep a plan.txt: done
            initiate h4 a->b delegation: made
            say and on Sunday: done
            initiate h5 a->b delegation: made
            decide a go: done
            initiate h6 a->b delegation: made
            initiate h7 a->b delegation payload=seats: made
            initiate h8 a->b delegation payload=seats: refused HO0704 to_agent: a handed the same to b within the last 3 handoffs"#]],
    );
}

#[test]
fn work_that_is_handed_on_does_not_come_back_unchanged() {
    check(
        "open s by a
         initiate h1 a->b sequential
         accept h1
         initiate h2 b->a sequential
         initiate h2 b->c sequential
         accept h2
         initiate h3 c->a sequential
         initiate h3 c->a sequential set=found:it
         accept h3
         show session",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b sequential: made
            accept h1: done
            initiate h2 b->a sequential: refused HO0705 to_agent: a handed on this very work, and nothing is new since
            initiate h2 b->c sequential: made
            accept h2: done
            initiate h3 c->a sequential: refused HO0705 to_agent: a handed on this very work, and nothing is new since
            initiate h3 c->a sequential set=found:it: made
            accept h3: done
            show session: no class, owner a, 3 handoffs, 0 escalations, 0 tokens used"#]],
    );
}

#[test]
fn a_circle_through_five_agents_is_seen() {
    check(
        "policy handoffs=50
         open s by a
         initiate h1 a->b sequential
         accept h1
         initiate h2 b->c sequential
         accept h2
         initiate h3 c->d sequential
         accept h3
         initiate h4 d->e sequential
         accept h4
         initiate h9 e->a sequential
         initiate h9 e->b sequential
         initiate h9 e->f sequential",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b sequential: made
            accept h1: done
            initiate h2 b->c sequential: made
            accept h2: done
            initiate h3 c->d sequential: made
            accept h3: done
            initiate h4 d->e sequential: made
            accept h4: done
            initiate h9 e->a sequential: refused HO0705 to_agent: a handed on this very work, and nothing is new since
            initiate h9 e->b sequential: refused HO0705 to_agent: b handed on this very work, and nothing is new since
            initiate h9 e->f sequential: made"#]],
    );
}

#[test]
fn a_circle_through_ten_agents_is_seen() {
    check(
        "policy handoffs=50
         open s by a
         initiate h1 a->b sequential
         accept h1
         initiate h2 b->c sequential
         accept h2
         initiate h3 c->d sequential
         accept h3
         initiate h4 d->e sequential
         accept h4
         initiate h5 e->f sequential
         accept h5
         initiate h6 f->g sequential
         accept h6
         initiate h7 g->h sequential
         accept h7
         initiate h8 h->i sequential
         accept h8
         initiate h9 i->j sequential
         accept h9
         initiate h99 j->a sequential",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b sequential: made
            accept h1: done
            initiate h2 b->c sequential: made
            accept h2: done
            initiate h3 c->d sequential: made
            accept h3: done
            initiate h4 d->e sequential: made
            accept h4: done
            initiate h5 e->f sequential: made
            accept h5: done
            initiate h6 f->g sequential: made
            accept h6: done
            initiate h7 g->h sequential: made
            accept h7: done
            initiate h8 h->i sequential: made
            accept h8: done
            initiate h9 i->j sequential: made
            accept h9: done
            initiate h99 j->a sequential: refused HO0705 to_agent: a handed on this very work, and nothing is new since"#]],
    );
}

#[test]
fn other_words_alone_buy_two_rounds() {
    check(
        "policy handoffs=50
         open s by a
         initiate h1 a->b sequential task=words_1
         accept h1
         initiate h2 b->a sequential task=words_2
         accept h2
         initiate h3 a->b sequential task=words_3
         accept h3
         initiate h4 b->a sequential task=words_4
         accept h4
         initiate h5 a->b sequential task=words_5
         accept h5
         initiate h6 b->a sequential task=words_6
         initiate h6 b->a sequential task=words_6 set=news:1
         accept h6
         initiate h7 a->b sequential task=words_7",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b sequential task=words_1: made
            accept h1: done
            initiate h2 b->a sequential task=words_2: made
            accept h2: done
            initiate h3 a->b sequential task=words_3: made
            accept h3: done
            initiate h4 b->a sequential task=words_4: made
            accept h4: done
            initiate h5 a->b sequential task=words_5: made
            accept h5: done
            initiate h6 b->a sequential task=words_6: refused HO0705 to_agent: it came back to a 2 times, and nothing is new in the session but other words
            initiate h6 b->a sequential task=words_6 set=news:1: made
            accept h6: done
            initiate h7 a->b sequential task=words_7: made"#]],
    );
}

#[test]
fn switching_off_one_of_the_rules_leaves_the_others() {
    check(
        "policy handoffs=50 repeats=0 idle=1
         open s by a
         initiate h1 a->b delegation
         initiate h2 a->b delegation
         initiate h3 a->b sequential task=one
         accept h3
         initiate h4 b->a sequential task=two
         accept h4
         initiate h5 a->b sequential task=three
         accept h5
         initiate h6 b->a sequential task=four",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation: made
            initiate h2 a->b delegation: made
            initiate h3 a->b sequential task=one: made
            accept h3: done
            initiate h4 b->a sequential task=two: made
            accept h4: done
            initiate h5 a->b sequential task=three: made
            accept h5: done
            initiate h6 b->a sequential task=four: refused HO0705 to_agent: it came back to a once, and nothing is new in the session but other words"#]],
    );
}

#[test]
fn nobody_is_asked_who_waits_for_this_very_work() {
    check(
        "policy handoffs=50
         open s by a
         initiate h1 a->b delegation
         accept h1
         initiate h2 b->a delegation task=help
         initiate h2 b->c delegation task=part
         accept h2
         initiate h3 c->a delegation task=help
         initiate h3 c->b delegation task=help
         initiate h3 c->d,a broadcast task=help
         initiate h3 c->d delegation task=help",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation: made
            accept h1: done
            initiate h2 b->a delegation task=help: refused HO0706 to_agent: a waits for h1, which this work is a part of
            initiate h2 b->c delegation task=part: made
            accept h2: done
            initiate h3 c->a delegation task=help: refused HO0706 to_agent: a waits for h1, which this work is a part of
            initiate h3 c->b delegation task=help: refused HO0706 to_agent: b waits for h2, which this work is a part of
            initiate h3 c->d,a broadcast task=help: refused HO0706 broadcast.targets[1]: a waits for h1, which this work is a part of
            initiate h3 c->d delegation task=help: made"#]],
    );
}

#[test]
fn a_pair_is_held_back_for_a_minute() {
    check(
        "policy handoffs=50 pair=3
         open s by a
         initiate h1 a->b delegation task=1
         accept h1
         return h1 success
         initiate h2 a->b delegation task=2
         accept h2
         return h2 success
         initiate h3 a->b:3,b:4 broadcast
         initiate h4 a->b delegation task=3
         accept h4
         return h4 success
         initiate h5 a->b delegation task=4
         initiate h6 a->c delegation task=4 timeout=10m
         accept h6 lease=10m
         wait 59s
         initiate h7 a->b delegation task=5
         say hurry up
         initiate h7 a->b delegation task=5
         wait 1s
         initiate h8 a->b delegation task=6",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation task=1: made
            accept h1: done
            return h1 success: done
            initiate h2 a->b delegation task=2: made
            accept h2: done
            return h2 success: done
            initiate h3 a->b:3,b:4 broadcast: refused HO0707 broadcast.targets[1]: a handed over to b 2 times within a minute, 3 are allowed
            initiate h4 a->b delegation task=3: made
            accept h4: done
            return h4 success: done
            initiate h5 a->b delegation task=4: refused HO0707 to_agent: a handed over to b 3 times within a minute, 3 are allowed
            initiate h6 a->c delegation task=4 timeout=10m: made
            accept h6 lease=10m: done
            wait 59s: nothing
            initiate h7 a->b delegation task=5: refused HO0707 to_agent: a handed over to b 3 times within a minute, 3 are allowed
            say hurry up: done
            initiate h7 a->b delegation task=5: refused HO0707 to_agent: a handed over to b 3 times within a minute, 3 are allowed
            wait 1s: nothing
            initiate h8 a->b delegation task=6: made"#]],
    );
}
