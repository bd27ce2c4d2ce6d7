//! How an experiment begins: with the population, the champions or the player of another one of the lab.

mod values;

use gamete_optim::Genome;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::RunError;
use crate::experiment::{Experiment, ExperimentError, Head};
use crate::part::Part;
use crate::runtime::LabError;
use crate::store::Store;
use values::with_stored_player;
pub(crate) use values::{with_kept_values, with_player};

/// What an experiment takes over from the one that it begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Take {
    /// Its last population is the first of this one.
    #[default]
    Population,
    /// Its champion is one of the first population; of several runs, the mean of their champions.
    Champion,
    /// The champions of all its runs are of the first population.
    Champions,
    /// The weights and settings of its champion are kept, and others are sought.
    Player,
}

impl Take {
    /// Its name in files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Population => "population",
            Self::Champion => "champion",
            Self::Champions => "champions",
            Self::Player => "player",
        }
    }
}

/// What a run begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start<'a> {
    /// An experiment of the lab, or a run of a study; empty for nothing.
    pub from: &'a str,
    /// What is taken over from it.
    pub take: Take,
}

impl Head {
    /// What its runs begin with.
    pub(crate) fn start(&self) -> Start<'_> {
        Start { from: &self.from, take: self.take }
    }
}

impl Experiment {
    /// The experiment as it is run and stored under `id`: where it begins with another one, with the weights and settings that
    /// it keeps of that one as values.
    ///
    /// # Errors
    ///
    /// When it begins with a player that is not there, or nothing is sought besides it.
    pub fn with_its_beginning(&self, store: &Store, id: &str) -> Result<Self, RunError> {
        match self.head.from.as_str() {
            "" => Ok(self.clone()),
            _ => complete(store, id, self.given()),
        }
    }
}

/// The experiment of a file under the name `id`, with the weights and settings that it keeps of the one that it begins with, if
/// it does. What was begun has them itself, and does not need that one again.
pub(crate) fn complete(store: &Store, id: &str, file: &Table) -> Result<Experiment, RunError> {
    let read = |table: &Table| Experiment::from_table(table).map_err(LabError::from);
    let text = |key: &str| file.get(key).and_then(Value::as_str).unwrap_or_default();
    let from = text("from");
    if from.is_empty() {
        return Ok(read(file)?);
    }
    let begun = store.find(id)?.and_then(|row| row.experiment().ok());
    let source = champion(store, "from", from);
    if text("take") == Take::Player.as_str() {
        let table = match (source, begun) {
            (Ok((part, genome)), _) => {
                with_player(file, from, &part.variant(), &genome).map_err(LabError::from)?
            }
            (Err(_), Some(begun)) => with_stored_player(file, &begun),
            (Err(error), None) => return Err(error),
        };
        return Ok(read(&table)?);
    }
    let own = read(file)?;
    if begun.as_ref() == Some(&own) {
        return Ok(own);
    }
    // A source that is not there is refused when the experiment begins.
    match source.ok().map(|(part, _)| part.variant()).or(begun) {
        Some(source) => Ok(read(&with_kept_values(file, &own, &source))?),
        None => Ok(own),
    }
}

/// What is wrong with a file, with the way out where it begins with a player whose model it does not name: weights are those of
/// a model.
pub(crate) fn with_model_hint(file: &Table, error: ExperimentError) -> ExperimentError {
    let text = |key: &str| file.get(key).and_then(Value::as_str).unwrap_or_default();
    let from = text("from");
    match error {
        ExperimentError::UnknownKey { key, nearest, known }
            if key.starts_with("weights.")
                && !file.contains_key("model")
                && !from.is_empty()
                && text("take") == Take::Player.as_str() =>
        {
            let known = nearest.map_or(known, |nearest| format!("did you mean {nearest:?}?"));
            let hint =
                format!("or name the model of the player of {from}, as in model = \"checkers/material\"");
            ExperimentError::UnknownKey { key, nearest: None, known: format!("{known}; {hint}") }
        }
        error => error,
    }
}

/// Refuses an experiment that begins with something that is not there or does not fit, in it or in its arms.
pub fn check_from(store: &Store, experiment: &Experiment) -> Result<(), RunError> {
    let mut places = Vec::new();
    if experiment.head.arms.is_empty() {
        places.push(("from".to_owned(), experiment.clone()));
    }
    for (index, arm) in experiment.head.arms.iter().enumerate() {
        let key = if arm.set.contains_key("from") { "set.from" } else { "from" };
        places.push((format!("arms.{}.{key}", arm.name), experiment.arm(index).map_err(LabError::from)?));
    }
    let inner: Vec<_> = places
        .iter()
        .filter_map(|(place, one)| {
            Some((format!("{}inner.from", place.strip_suffix("from")?), one.method.inner()?))
        })
        .collect();
    places.into_iter().chain(inner).try_for_each(|(place, one)| check_one_from(store, &place, &one))
}

fn check_one_from(store: &Store, place: &str, experiment: &Experiment) -> Result<(), RunError> {
    let Start { from, take } = experiment.head.start();
    if from.is_empty() {
        return Ok(());
    }
    let (part, _) = champion(store, place, from)?;
    let (place, from) = (place.to_owned(), from.to_owned());
    if take == Take::Population && !part.is_single_run() {
        return Err(RunError::FromStudy { place, from, example: part.example() });
    }
    if is_same_space(&part.variant(), experiment) {
        Ok(())
    } else {
        Err(RunError::AnotherSpace { place, from })
    }
}

/// Whether genomes of one experiment are genomes of the other.
pub(crate) fn is_same_space(one: &Experiment, other: &Experiment) -> bool {
    let model = |one: &Experiment| one.method.breed().map(|breed| breed.model().name);
    (model(one), one.genes()) == (model(other), other.genes())
}

/// The part of the lab that something begins with, and its champion.
fn champion(store: &Store, place: &str, from: &str) -> Result<(Part, Genome), RunError> {
    let (place, from) = (place.to_owned(), from.to_owned());
    let part = match Part::find(store, &from) {
        Ok(part) if part.moment.is_some() => {
            let reason = "name an experiment or a run without a generation".to_owned();
            return Err(RunError::From { place, from, reason });
        }
        Ok(part) => part,
        Err(error) => return Err(RunError::From { place, from, reason: error.to_string() }),
    };
    if store.experiment(&part.id)?.result.is_none() {
        return Err(RunError::Unfinished { place, from });
    }
    match part.genome(store) {
        Ok(genome) => Ok((part, genome)),
        Err(error) => Err(RunError::From { place, from, reason: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use crate::bred::Bred;
    use crate::testing::{TestLab, fake};

    const WEIGHTS: &str = "name = 'weights'\nmodel = 'chess/material'\npopulation = 4\ngenerations = 2\n";

    /// A lab with an experiment that is finished.
    fn lab() -> TestLab {
        let lab = TestLab::new();
        lab.run(WEIGHTS, &fake()).expect("a run to its end");
        lab
    }

    fn error(lab: &TestLab, text: &str) -> String {
        lab.run(text, &fake()).expect_err("an error").to_string()
    }

    #[test]
    fn an_experiment_begins_with_a_population_or_a_champion() {
        let lab = lab();
        let store = lab.store();
        let champion = Bred::find(&store, "weights").expect("a player").player.weights().to_vec();
        let begin = |name: &str, take: &str| {
            let text = WEIGHTS.replace("'weights'", &format!("'{name}'"))
                + &format!("from = 'weights'\ntake = '{take}'\n");
            let found = lab.run(&text, &fake()).expect("a run to its end").conclusion;
            assert_eq!(lab.run(&text, &fake()).expect("the same").conclusion, found);
            let run = store.runs(name).expect("runs")[0].number;
            let genomes = store.individuals(run, 0).expect("individuals");
            genomes.into_iter().map(|one| one.genome).collect::<Vec<_>>()
        };
        let run = store.runs("weights").expect("runs")[0].number;
        let last: Vec<_> =
            store.individuals(run, 2).expect("individuals").into_iter().map(|one| one.genome).collect();
        // The journal is text, which may change the last bit.
        let is_near = |one: &[f64], other: &[f64]| {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-9)
        };
        let same = begin("a", "population");
        assert!(
            same.len() == 4 && same.iter().zip(&last).all(|(one, other)| is_near(one, other)),
            "{same:?}"
        );
        let others = begin("b", "champion");
        assert!(is_near(&others[0], &champion), "{others:?}");
        assert!(!last.contains(&others[1]) && others.len() == 4);
        let optimize = "name = 'c'\nmodel = 'chess/material'\nmethod = 'optimize'\nmatch.pairs = 1\nga.population = 3\n\
             generations = 1\nfrom = 'weights'\ntake = 'champion'\n";
        lab.run(optimize, &fake()).expect("a run to its end");
    }

    #[test]
    fn an_experiment_begins_with_the_champions_of_all_runs() {
        let lab = lab();
        let store = lab.store();
        let study = WEIGHTS.replace("'weights'", "'study'")
            + "replicates = 2\n[[arms]]\nname = 'a'\n[[arms]]\nname = 'b'\nset = { population = 3 }\n";
        lab.run(&study, &fake()).expect("a run to its end");
        let champion = |name: &str| Bred::find(&store, name).expect("a player").player.weights().to_vec();
        let begin = |name: &str, from: &str| {
            let text = format!(
                "name = '{name}'\nmethod = 'coevolution'\nmodel = 'chess/material'\nencoding = 'real'\npopulation = 3\n\
                 pair_games = 1\ngenerations = 1\nfrom = '{from}'\ntake = 'champions'\n"
            );
            let found = lab.run(&text, &fake()).expect("a run to its end").conclusion;
            assert_eq!(lab.run(&text, &fake()).expect("the same").conclusion, found);
            let run = store.runs(name).expect("runs")[0].number;
            let genomes = store.individuals(run, 0).expect("individuals");
            genomes.into_iter().map(|one| one.genome).collect::<Vec<_>>()
        };
        let is_near =
            |one: &[f64], other: &[f64]| one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-9);
        // Of four champions there is room for three, in the order of their runs; of two, others are random.
        let all = begin("all", "study");
        for (genome, run) in all.iter().zip(["study/a/1", "study/b/1", "study/a/2"]) {
            assert!(is_near(genome, &champion(run)), "{run}: {genome:?}");
        }
        let arm = begin("arm", "study/b");
        assert!(is_near(&arm[0], &champion("study/b/1")) && is_near(&arm[1], &champion("study/b/2")));
        assert_eq!(arm.len(), 3);
        let one = begin("one", "weights");
        assert!(is_near(&one[0], &champion("weights")), "an experiment with one run has one champion");
    }

    #[test]
    fn an_experiment_keeps_the_values_of_a_player_and_seeks_others() {
        let lab = lab();
        let text = "name = 'search'\nmethod = 'optimize'\ngenerations = 1\nmatch.pairs = 1\nga.population = 3\n\
             from = 'weights'\ntake = 'player'\nsearch.null_move_reduction = [1, 4]\nweights.pawn = [500, 1500]\n";
        let first = lab.run(text, &fake()).expect("a run to its end").conclusion;
        assert_eq!(lab.run(text, &fake()).expect("the same").conclusion, first);
        let store = lab.store();
        let [weights, search] = ["weights", "search"].map(|id| Bred::find(&store, id).expect("a player"));
        assert_eq!(search.breed.model, "chess/material");
        assert_eq!(search.player.weights()[1..], weights.player.weights()[1..], "all but the pawn is kept");
        let genes: Vec<&str> = first.champion.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(genes, ["pawn", "search.null_move_reduction"]);
        // A third keeps the settings of the search that the second has found.
        let third = "name = 'third'\npopulation = 3\ngenerations = 1\nfrom = 'search'\ntake = 'player'\n\
             weights.queen = [5000, 15000]\n";
        lab.run(third, &fake()).expect("a run to its end");
        let third = Bred::find(&store, "third").expect("a player");
        assert_eq!(third.player.search, search.player.search);
        let file = store.experiment("third").expect("a row").file;
        assert!(file.contains("from = \"\"") && file.contains("null_move_reduction = "), "{file}");
    }

    const SEARCH: &str = "name = 'search'\nmethod = 'optimize'\ngenerations = 1\nmatch.pairs = 1\nga.population = 3\n\
         from = 'weights'\ntake = 'player'\nsearch.null_move_reduction = [1, 4]\nsearch.aspiration = 33\n";

    #[test]
    fn an_experiment_that_begins_with_a_population_keeps_what_is_not_sought() {
        let lab = lab();
        lab.run(SEARCH, &fake()).expect("a run to its end");
        let text = "name = 'third'\nmodel = 'chess/material'\npopulation = 3\ngenerations = 1\nfrom = 'search'\n\
             search.null_move_reduction = [1, 4]\n";
        lab.run(text, &fake()).expect("a run to its end");
        let [search, third] =
            ["search", "third"].map(|id| Bred::find(&lab.store(), id).expect("a player").player);
        assert_eq!(third.weights(), search.weights());
        assert_eq!(third.search.aspiration, 33);
    }

    #[test]
    fn what_was_begun_does_not_need_its_beginning_again() {
        let lab = lab();
        let population = WEIGHTS.replace("'weights'", "'more'") + "from = 'weights'\n";
        let experiments = [SEARCH, &population];
        let run = |text: &&str| lab.run(text, &fake()).map(|session| session.conclusion);
        let found = experiments.each_ref().map(|text| run(text).expect("a run to its end"));
        lab.store().delete("weights").expect("an experiment");
        assert_eq!(experiments.each_ref().map(|text| run(text).expect("a finished run")), found);
        assert_eq!(
            error(&lab, &SEARCH.replace("aspiration = 33", "aspiration = 34")),
            "search was begun with another experiment: search.aspiration was 33, and is now 34; give this one another name, or \
             start over with `gamete delete search`"
        );
    }

    #[test]
    fn what_cannot_be_taken_over_is_refused_with_the_way_out() {
        let lab = lab();
        let study =
            "name = 'study'\npopulation = 4\ngenerations = 1\n[[arms]]\nname = 'a'\n[[arms]]\nname = 'b'\n";
        lab.run(study, &fake()).expect("a run to its end");
        let begin =
            |keys: &str| error(&lab, &format!("name = 'x'\npopulation = 4\ngenerations = 1\n{keys}\n"));
        assert!(begin("from = 'wieghts'").starts_with(
            "from: \"wieghts\": no experiment \"wieghts\" in this lab; did you mean \"weights\"?"
        ));
        assert_eq!(
            begin("from = 'weights'\ntake = 'champion'"),
            "from: weights is of another game, model or choice of weights; take = \"player\" keeps its values and seeks others"
        );
        assert_eq!(
            begin("from = 'study'"),
            "from: study is a study of several runs; name one of them, as in study/a/1, or take = \"champions\""
        );
        assert_eq!(
            begin("from = 'study@1'"),
            "from: \"study@1\": name an experiment or a run without a generation"
        );
        assert!(
            begin("from = 'study/c/1'").starts_with("from: \"study/c/1\": study has no arm or run \"c/1\"")
        );
        assert_eq!(
            begin("from = 'weights'\ntake = 'player'"),
            "take: \"player\": all weights and settings of weights are kept, and nothing is sought; give ranges, as in \
             search.null_move_reduction = [1, 4]"
        );
        assert_eq!(
            begin("from = 'weights'\ntake = 'player'\nmodel = 'chess/kendall-whitwell'"),
            "model: \"chess/kendall-whitwell\": the player of weights has \"chess/material\"; leave the key out"
        );
        lab.run("name = 'y'\npopulation = 4\ngenerations = 1\nfrom = 'study/b/1'\n", &fake()).expect("a run");
    }
}
