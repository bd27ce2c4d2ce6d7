use gamete_arena::{
    Competitor, Contestant, Player, first_signature, first_tanh_signature, is_first_signature, signature,
};

use crate::engines::{EngineContents, catalog};
use crate::experiment::Experiment;
use crate::runtime::{KeyVersion, TaskIdentity};
use crate::study::arms;

/// A short name for how an experiment is played and decided: the [`signature`] of its players, and the rules of methods that
/// have changed. What other experiments use is no part of it.
pub(crate) fn experiment_signature(experiment: &Experiment) -> String {
    let players: Vec<Player> = experiments(experiment).iter().flat_map(players).collect();
    with_rules(signature(&players), experiment)
}

/// What an experiment of an earlier version would have stored, if the stored one is of such a version.
pub(crate) fn comparable_signature(experiment: &Experiment, stored: &str) -> String {
    if !is_first_signature(stored) {
        return experiment_signature(experiment);
    }
    let mut signature = first_signature();
    if experiments(experiment).iter().any(uses_tanh) {
        signature.push_str("+tanh-");
        signature.push_str(&first_tanh_signature());
    }
    with_rules(signature, experiment)
}

/// What the signatures of experiments with engines end with: what these are, as JSON. Those from before engines had names in
/// tasks do not.
const ENGINES: &str = "+engines-";

/// A signature with what the engines of an experiment are, if it has any.
pub(crate) fn with_engines(signature: String, experiment: &Experiment, contents: &EngineContents) -> String {
    if !has_engines(experiment) {
        return signature;
    }
    format!("{signature}{ENGINES}{}", serde_json::to_string(contents).expect("plain data"))
}

/// A signature without its engines, and these.
pub(crate) fn split_engines(signature: &str) -> (&str, Option<EngineContents>) {
    match signature.split_once(ENGINES) {
        Some((of_players, engines)) => (of_players, serde_json::from_str(engines).ok()),
        None => (signature, None),
    }
}

/// How the tasks of an experiment with this signature are told apart in its journal.
pub(crate) fn task_identity(experiment: &Experiment, signature: &str) -> TaskIdentity {
    let (_, engines) = split_engines(signature);
    let keys = match engines {
        _ if is_first_signature(signature) => KeyVersion::Json,
        None if has_engines(experiment) => KeyVersion::Commands(catalog([experiment])),
        _ => KeyVersion::TaskKey,
    };
    TaskIdentity { keys, engines: engines.unwrap_or_default() }
}

fn has_engines(experiment: &Experiment) -> bool {
    experiments(experiment).iter().any(|arm| !arm.method.engines().is_empty())
}

/// How matches of a meta-evolution count: the second rule, [`gamete_stats::PairScore::of_match`].
const MATCH_RULE: &str = "+match-2";

fn with_rules(mut signature: String, experiment: &Experiment) -> String {
    if arms(experiment).iter().any(|arm| arm.method.inner().is_some()) {
        signature.push_str(MATCH_RULE);
    }
    signature
}

/// The arms of an experiment, and the experiments inside them.
pub(crate) fn experiments(experiment: &Experiment) -> Vec<Experiment> {
    arms(experiment).into_iter().flat_map(|arm| arm.method.inner().into_iter().chain([arm])).collect()
}

fn uses_tanh(experiment: &Experiment) -> bool {
    experiment.method.breed().is_some_and(|breed| breed.tanh)
}

/// A player of an experiment, whatever its weights, and whom it plays against.
fn players(experiment: &Experiment) -> Vec<Player> {
    let of = |contestant: Contestant| match contestant.competitor {
        Competitor::Player(player) => Some(player),
        Competitor::Engine(_) => None,
    };
    let bred = experiment.method.phenotype().map(|phenotype| phenotype.classical());
    experiment.method.opponents().into_iter().chain(bred).filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;

    fn of(preset: &str, changes: &str) -> String {
        let mut table: toml::Table = presets::text(preset).expect("a preset").parse().expect("TOML");
        table.insert("name".to_owned(), preset.into());
        table.extend(changes.parse::<toml::Table>().expect("TOML"));
        experiment_signature(&Experiment::from_table(&table).expect("an experiment"))
    }

    #[test]
    fn what_an_experiment_does_not_use_is_no_part_of_its_signature() {
        let chess = of("kendall-whitwell", "");
        assert_eq!(of("mutation-study", ""), chess);
        assert_eq!(of("mutation-scale", ""), format!("{chess}{MATCH_RULE}"));
        let checkers = of("piece-difference", "");
        assert_ne!(checkers, chess);
        assert_ne!(of("piece-difference", "tanh = true"), checkers);
        assert_eq!(of("kendall-whitwell", "population = 7\n[weights]\npawn = [1, 2]"), chess);
        let arm = "[[arms]]\nname = \"literal\"\nset = { tanh = true }";
        assert_eq!(of("piece-difference", arm), of("piece-difference", "tanh = true"));
    }
}
