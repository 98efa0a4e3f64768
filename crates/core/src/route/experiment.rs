//! By which strategy a request is routed: as it says itself, as an experiment says, or as the house does it.

use super::{By, by};
use crate::{
    digest::Digest,
    handoff::Request,
    ids::SessionId,
    policy::{Experiment, Policy, Strategy},
};

/// How a request is routed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan<'a> {
    pub(crate) strategy: Strategy,
    /// The experiment that says so, and the arm.
    pub(crate) experiment: Option<(&'a Experiment, &'static str)>,
    /// The strategy that only says whom it would have chosen.
    pub(crate) shadow: Option<Strategy>,
    /// Why it is another strategy than was asked for.
    pub(crate) note: String,
}

impl Plan<'_> {
    /// Whether a model has a say in it.
    pub(crate) fn asks_a_model(&self) -> bool {
        self.strategy == Strategy::Llm || self.shadow == Some(Strategy::Llm)
    }
}

/// Plans the routing of a request.
pub(crate) fn plan<'a>(policy: &'a Policy, session: &SessionId, request: &Request) -> Plan<'a> {
    let usable = |strategy| usable(strategy, by(request));
    if let Some(asked) = request.strategy {
        let strategy = usable(asked);
        let note = if strategy == asked {
            String::new()
        } else {
            format!("{} goes by a capability or a list, and the task is all there is", asked.word())
        };
        return Plan { strategy, experiment: None, shadow: None, note };
    }
    // An experiment whose strategies come to the same here compares nothing.
    let experiment = policy.experiments.iter().find(|found| usable(found.a) != usable(found.b));
    let Some(experiment) = experiment else {
        let strategy = usable(policy.routing.strategy);
        return Plan { strategy, experiment: None, shadow: None, note: String::new() };
    };
    let second = !experiment.shadow && in_second_arm(experiment, session);
    Plan {
        strategy: usable(if second { experiment.b } else { experiment.a }),
        experiment: Some((experiment, if second { "b" } else { "a" })),
        shadow: experiment.shadow.then(|| usable(experiment.b)),
        note: String::new(),
    }
}

/// Where the task is all there is, only its text can decide who fits.
fn usable(strategy: Strategy, by: By) -> Strategy {
    match (by, strategy) {
        (By::Task, Strategy::BestMatch | Strategy::LeastLoaded | Strategy::RoundRobin) => Strategy::Semantic,
        (_, strategy) => strategy,
    }
}

/// A session stays in its arm; another experiment splits the sessions in another way.
#[expect(clippy::cast_precision_loss, reason = "a share needs no last digit")]
fn in_second_arm(experiment: &Experiment, session: &SessionId) -> bool {
    let digest = Digest::of_all([experiment.name.as_bytes(), b"\n", session.as_str().as_bytes()]);
    let number = digest.0.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    (number as f64) < experiment.share * 2f64.powi(64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{handoff::Kind, ids::AgentId};

    fn experiment(name: &str, a: Strategy, b: Strategy, share: f64) -> Experiment {
        Experiment { name: name.into(), a, b, share, shadow: false }
    }

    fn request(capability: Option<&str>) -> Request {
        let mut request = Request::new(Kind::Delegation, AgentId::new("a").unwrap(), "fix the invoice");
        request.capability = capability.map(str::to_owned);
        request
    }

    #[test]
    fn the_strategy_is_the_requests_the_experiments_or_the_houses() {
        let session = SessionId::new("s").unwrap();
        let all_b = |a, b| vec![experiment("e", a, b, 1.0)];
        let (best, least, learned) = (Strategy::BestMatch, Strategy::LeastLoaded, Strategy::Learned);
        for (asked, experiments, by_capability, expected) in [
            (None, vec![], true, "best_match"),
            (None, vec![], false, "semantic"),
            (Some(least), vec![], true, "least_loaded"),
            (Some(least), vec![], false, "semantic (noted)"),
            (Some(learned), vec![], false, "learned"),
            (Some(best), all_b(best, least), true, "best_match"),
            (None, all_b(best, least), true, "least_loaded by e b"),
            (None, all_b(best, learned), false, "learned by e b"),
            // Both would go by the text: that is no experiment, and the next one may be.
            (None, all_b(best, least), false, "semantic"),
        ] {
            let policy = Policy { experiments, ..Policy::default() };
            let mut request = request(by_capability.then_some("billing"));
            request.strategy = asked;
            let plan = plan(&policy, &session, &request);
            let by = plan.experiment.map(|(e, arm)| format!(" by {} {arm}", e.name)).unwrap_or_default();
            let noted = if plan.note.is_empty() { "" } else { " (noted)" };
            assert_eq!(format!("{}{by}{noted}", plan.strategy.word()), expected, "{asked:?} {by_capability}");
        }
    }

    #[test]
    fn sessions_are_split_by_share_and_stay_in_their_arm() {
        for (share, low, high) in [(0.0, 0, 0), (0.1, 150, 250), (0.5, 930, 1_070), (1.0, 2_000, 2_000)] {
            let experiment = experiment("e", Strategy::BestMatch, Strategy::Learned, share);
            let sessions: Vec<SessionId> = (0..2_000).map(|n| SessionId::new(format!("s{n}")).unwrap()).collect();
            let second = || sessions.iter().filter(|session| in_second_arm(&experiment, session)).count();
            assert!((low..=high).contains(&second()), "{share}: {}", second());
            assert_eq!(second(), second());
        }
        let one = experiment("one", Strategy::BestMatch, Strategy::Learned, 0.5);
        let two = experiment("two", Strategy::BestMatch, Strategy::Learned, 0.5);
        let sessions = (0..200).map(|n| SessionId::new(format!("s{n}")).unwrap());
        let apart = sessions.filter(|s| in_second_arm(&one, s) != in_second_arm(&two, s)).count();
        assert!((60..140).contains(&apart), "two experiments split the same way: {apart}");
    }

    #[test]
    fn a_shadow_decides_nothing() {
        let mut shadow = experiment("e", Strategy::BestMatch, Strategy::Llm, 1.0);
        shadow.shadow = true;
        let policy = Policy { experiments: vec![shadow], ..Policy::default() };
        let plan = plan(&policy, &SessionId::new("s").unwrap(), &request(Some("billing")));
        assert_eq!((plan.strategy, plan.shadow), (Strategy::BestMatch, Some(Strategy::Llm)));
        assert!(plan.asks_a_model());
    }
}
