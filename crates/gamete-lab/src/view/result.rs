use std::collections::BTreeMap;

use gamete_optim::Genome;
use gamete_stats::PairScore;
use serde::Serialize;

use super::{BaselineView, ExperimentView, Ranking, Recommended, TuningView};
use crate::measure::Measure;
use crate::run::Conclusion;

/// What came out of an experiment, as `show --json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExperimentResult {
    /// Its name in the lab.
    pub id: String,
    /// How it is done.
    pub method: String,
    /// What it is for.
    pub about: String,
    /// Its seed.
    pub seed: u64,
    /// How long it has run, all sessions together.
    pub seconds: f64,
    /// What the engine was that played.
    pub signature: String,
    /// Whether it came to its end.
    pub finished: bool,
    /// The answer, gene by gene.
    pub champion: Option<BTreeMap<String, f64>>,
    /// What the champion was ranked by, where the method ranks; nothing of a study.
    pub fitness: Option<f64>,
    /// Numbers of the last generation beside fitness; nothing of a study.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<Measure>,
    /// A hash of the last populations, to the last bit.
    pub digest: Option<String>,
    /// Games of the whole experiment.
    pub games: Option<u64>,
    /// Its champions against their baselines.
    pub verification: Vec<BaselineView>,
    /// What values were and came to, where they were sought from a start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuning: Option<TuningResult>,
    /// What came out of the runs of a study, if it is one and finished.
    #[serde(flatten)]
    pub study: Option<StudyResult>,
}

/// Values that were sought from a start, and whether they are better.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TuningResult {
    /// What they were and came to.
    #[serde(flatten)]
    pub values: TuningView,
    /// What the games against the start say, in words.
    pub verdict: &'static str,
    /// Which of them are to be used; nothing before there are games that say so.
    pub recommended: Option<Recommended>,
}

/// What came out of the runs of a study, with arms by their names and replicates from 1, as in the names of runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct StudyResult {
    /// The champion of each run.
    pub champions: Vec<ChampionResult>,
    /// How the champions of arms fared against each other.
    pub playoffs: Vec<PlayoffResult>,
    /// How they fared against the classical weights.
    pub classical: Vec<ClassicalResult>,
    /// Optimisers by what came of them, if these are the arms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
}

/// The champion of a run of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChampionResult {
    /// The run.
    pub run: String,
    /// Its arm, if arms have names.
    pub arm: Option<String>,
    /// Which replicate, from 1.
    pub replicate: u32,
    /// The champion.
    pub genome: Genome,
    /// What it was ranked by, where the method ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fitness: Option<f64>,
    /// Numbers of the last generation of the run beside fitness.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<Measure>,
}

/// A match between the champions of two arms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayoffResult {
    /// Which replicate, from 1.
    pub replicate: u32,
    /// The arms.
    pub arms: [Option<String>; 2],
    /// What the first made of each pair of games, in half points.
    pub scores: Vec<PairScore>,
}

/// A match of the champion of a run against the classical weights of its model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassicalResult {
    /// The run.
    pub run: String,
    /// Its arm, if arms have names.
    pub arm: Option<String>,
    /// Which replicate, from 1.
    pub replicate: u32,
    /// What the champion made of each pair of games, in half points.
    pub scores: Vec<PairScore>,
}

impl ExperimentView {
    /// What came out, without the generations.
    pub fn result(&self) -> ExperimentResult {
        let found = self.conclusion.as_ref();
        ExperimentResult {
            id: self.id.clone(),
            method: self.method.clone(),
            about: self.about.clone(),
            seed: self.seed,
            seconds: self.seconds,
            signature: self.signature.clone(),
            finished: found.is_some(),
            champion: found.map(|found| found.champion.iter().cloned().collect()),
            fitness: found.and(self.single()).and_then(|(_, run)| run.fitness),
            measures: self.single().map_or_else(Vec::new, |(_, run)| run.last().measures.clone()),
            digest: found.map(|found| found.digest.clone()),
            games: found.map(|found| found.games),
            verification: self.verification.clone(),
            tuning: self.tuning.clone().map(|values| TuningResult {
                values,
                verdict: self.tuning_verdict(),
                recommended: self.recommended(),
            }),
            study: found.filter(|_| self.is_study).map(|found| self.study_result(found)),
        }
    }

    /// What came out of the runs of a study.
    pub(super) fn study_result(&self, found: &Conclusion) -> StudyResult {
        let arm = |arm: usize| {
            let name = self.arms.get(arm).map(|arm| arm.name.clone());
            name.filter(|_| self.has_arms)
        };
        let run = |index: usize, replicate: u32| match arm(index) {
            Some(name) => format!("{name}/{}", replicate + 1),
            None => (replicate + 1).to_string(),
        };
        let champions = found.champions.iter().map(|one| {
            let runs = self.arms.get(one.arm).map_or(&[][..], |arm| &arm.runs);
            let own = runs.iter().find(|run| run.replicate == one.replicate + 1);
            ChampionResult {
                run: run(one.arm, one.replicate),
                arm: arm(one.arm),
                replicate: one.replicate + 1,
                genome: one.genome.clone(),
                fitness: own.and_then(|run| run.fitness),
                measures: own.map_or_else(Vec::new, |run| run.last().measures.clone()),
            }
        });
        let playoffs = found.playoffs.iter().map(|one| PlayoffResult {
            replicate: one.replicate + 1,
            arms: one.arms.map(arm),
            scores: one.scores.clone(),
        });
        let classical = found.classical.iter().map(|one| ClassicalResult {
            run: run(one.arm, one.replicate),
            arm: arm(one.arm),
            replicate: one.replicate + 1,
            scores: one.scores.clone(),
        });
        StudyResult {
            champions: champions.collect(),
            playoffs: playoffs.collect(),
            classical: classical.collect(),
            ranking: self.ranking(),
        }
    }
}
