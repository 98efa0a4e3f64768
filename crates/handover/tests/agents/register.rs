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
    expect![[r#"
        $ handover agents register --name writer --kind llm --model small --provider local --instructions @writer.md --tools handoff,recall
        writer is registered
        $ handover agents show writer
        writer
          kind          llm
          standing      available
          work          0 of 1
          may risk      high
          model         small
          provider      local
          instructions  Write short sentences.
          tools         handoff, recall
        $ handover agents register --name counter --kind command --can count=0.8 --time 10m -- python3 count.py --fast
        counter is registered
        $ handover agents show counter
        counter
          kind          command
          standing      available
          work          0 of 1
          can           count 0.8
          may risk      high
          command       python3 count.py --fast
          folder        FOLDER
        $ handover agents register --name sorter --kind command --folder tools -- sh sort.sh
        sorter is registered
        $ handover agents show sorter
        sorter
          kind          command
          standing      available
          work          0 of 1
          may risk      high
          command       sh sort.sh
          folder        FOLDER/tools
        $ handover agents register --name bank --kind http --url https://example.org/work --secret-env BANK_SECRET
        bank is registered
        $ handover agents show bank
        bank
          kind          http
          standing      available
          work          0 of 1
          may risk      high
          url           https://example.org/work
          secret from   BANK_SECRET
        $ handover agents register --name anna --kind human --description Reviews
        anna is registered
        $ handover agents
        AGENT    KIND     STANDING   WORK    CAN
        anna     human    available  0 of 1  Reviews
        bank     http     available  0 of 1
        counter  command  available  0 of 1  count 0.8
        sorter   command  available  0 of 1
        writer   llm      available  0 of 1
    "#]].assert_eq(&shown);
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
    expect![[r#"
        $ handover agents register --name a --kind llm
        ! handover: a model needs its name
        !   hint: add --model NAME
        = 1
        $ handover agents register --name a --kind command
        ! handover: a program needs its name
        !   hint: add it at the end: -- python3 work.py
        = 1
        $ handover agents register --name a --kind http
        ! handover: a service needs an address
        !   hint: add --url https://HOST/PATH
        = 1
        $ handover agents register --name a --kind http --url ftp://example.org
        ! handover: HO0206 url: a service needs an address
        !   hint: add `url: https://HOST/PATH`
        !   more: handover explain HO0206
        = 1
        $ handover agents register --name a --model small --tools recall
        ! handover: --tools belong to models
        !   hint: add --kind llm
        = 1
        $ handover agents register --name a --instructions hello
        ! handover: --instructions belong to models
        !   hint: add --kind llm
        = 1
        $ handover agents register --name a --kind human -- sh work.sh
        ! handover: a program after `--` belongs to programs
        !   hint: add --kind command
        = 1
        $ handover agents register --name a --kind llm --model small --folder .
        ! handover: --folder belongs to programs
        !   hint: add --kind command
        = 1
        $ handover agents register --name a --kind command --url https://example.org -- sh
        ! handover: --url belongs to services
        !   hint: add --kind http
        = 1
        $ handover agents register --name a --secret-env S
        ! handover: --secret-env belongs to services
        !   hint: add --kind http
        = 1
        $ handover agents register --name a --kind command --folder nowhere -- sh
        ! handover: there is no folder nowhere
        !   hint: name a folder that is there with --folder DIR
        = 1
        $ handover agents register --name a --kind llm --model small --instructions @nowhere.md
        ! handover: nowhere.md cannot be read: No such file or directory (os error 2)
        !   hint: check the path and its permissions
        = 1
        $ handover agents register --kind llm --model small
        ! error: the following required arguments were not provided:
        !   <FILE|--name <AGENT>>
        ! 
        ! Usage: handover agents register --kind <KIND> --model <MODEL> <FILE|--name <AGENT>> [-- <WORD>...]
        ! 
        ! For more information, try '--help'.
        = 3
        $ handover agents register --name a --kind robot
        ! error: invalid value 'robot' for '--kind <KIND>'
        !   [possible values: local, worker, human, llm, command, http]
        ! 
        ! For more information, try '--help'.
        = 3
    "#]]
    .assert_eq(&shown);
}
