//! Role by method: every cell of the table, and no method that is not in it.

use crate::{
    attempts::{FREE, METHODS, Scene},
    of_role,
};
use handover_core::{access::Role, refusal::Code};
use std::collections::BTreeSet;

#[tokio::test]
async fn every_method_is_for_its_role_and_those_above() {
    for role in Role::ALL {
        let scene = Scene::new().await;
        let by = of_role(&scene.engine, role);
        for (method, least) in METHODS {
            let answer = scene.attempt(method, &by).await;
            let not = |code| answer.as_ref().is_err_and(|error| error.has(code));
            let refused = not(Code::NotAllowed) || not(Code::NotYourAgent);
            assert_eq!(!refused, role >= *least, "{method} as {role}: {answer:?}");
        }
        // Nothing that was refused has closed it.
        if role != Role::Admin {
            scene.engine.verify().await.unwrap();
        }
    }
}

#[test]
fn the_table_has_every_public_method() {
    let mut public = BTreeSet::new();
    walk(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut public);
    let tried = METHODS.iter().map(|(method, _)| *method).filter(|method| !method.contains(' '));
    let known: BTreeSet<String> = tried.chain(FREE.iter().copied()).map(str::to_owned).collect();
    assert_eq!(public, known);
}

/// The public methods of `impl Engine` that take a handle.
fn walk(folder: &std::path::Path, public: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, public);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for part in text.split("\nimpl Engine {\n").skip(1) {
            let body = part.split("\n}\n").next().unwrap();
            for method in body.split("\n    pub ").skip(1) {
                let method = method.strip_prefix("async ").unwrap_or(method);
                let Some((name, rest)) = method.strip_prefix("fn ").and_then(|rest| rest.split_once('(')) else {
                    continue;
                };
                if rest.trim_start().starts_with("&self") {
                    public.insert(name.split('<').next().unwrap().to_owned());
                }
            }
        }
    }
}
