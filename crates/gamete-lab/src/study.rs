//! An experiment in several runs: arms beside each other, each with replicates.

use std::collections::HashSet;

use gamete_arena::Rng;
use gamete_stats::{PairScore, Pentanomial};
use serde::{Deserialize, Serialize};

use crate::experiment::{Experiment, Playoff};
use crate::methods::{Finding, play_pairs};
use crate::phenotype::Phenotype;
use crate::run::{RunDifferences, run_method};
use crate::runtime::{Lab, LabError};

/// What came out of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFinding {
    /// Which arm, from 0.
    pub arm: usize,
    /// Which replicate, from 0.
    pub replicate: u32,
    /// What it came to.
    pub finding: Finding,
}

/// A match between the champions of two arms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayoffMatch {
    /// Which replicate, from 0.
    pub replicate: u32,
    /// The arms, from 0.
    pub arms: [usize; 2],
    /// What the first made of each pair of games, in half points.
    pub scores: Vec<PairScore>,
}

/// A match of the champion of a run against the classical weights of its model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassicalMatch {
    /// Which arm, from 0.
    pub arm: usize,
    /// Which replicate, from 0.
    pub replicate: u32,
    /// What the champion made of each pair of games, in half points.
    pub scores: Vec<PairScore>,
}

impl ClassicalMatch {
    /// The pairs by what the champion made of them.
    pub fn pairs(&self) -> Pentanomial {
        self.scores.iter().copied().sum()
    }
}

/// What came out of a study.
pub(crate) struct StudyFinding {
    pub findings: Vec<RunFinding>,
    pub playoffs: Vec<PlayoffMatch>,
    pub classical: Vec<ClassicalMatch>,
    pub differences: Vec<RunDifferences>,
}

/// The path of a run in its experiment.
pub fn run_path(experiment: &Experiment, arm: usize, replicate: u32) -> String {
    match experiment.head.arms.get(arm) {
        Some(arm) => format!("{}/{}", arm.name, replicate + 1),
        None => format!("{}", replicate + 1),
    }
}

/// The paths of runs, no two alike whatever arms are called.
///
/// Runs of arms have theirs by name. A play-off of `x` with `y - z` would have that of `x - y` with `z`, and an arm may be
/// called `classical x`: then the one that comes later has a number behind its name.
struct Paths(HashSet<String>);

impl Paths {
    /// Those that are taken by the runs of arms.
    fn new(experiment: &Experiment) -> Self {
        let arms = 0..experiment.head.arms.len().max(1);
        let replicates = experiment.head.replicates;
        Self(
            arms.flat_map(|arm| (0..replicates).map(move |replicate| run_path(experiment, arm, replicate)))
                .collect(),
        )
    }

    /// The path of another run.
    fn take(&mut self, wanted: &str) -> String {
        let mut path = wanted.to_owned();
        let mut number = 1;
        while !self.0.insert(path.clone()) {
            number += 1;
            path = format!("{wanted} ({number})");
        }
        path
    }
}

/// The arms of an experiment, which is its own only one if it has none.
pub fn arms(experiment: &Experiment) -> Vec<Experiment> {
    if experiment.head.arms.is_empty() {
        let mut one = experiment.clone();
        one.head.replicates = 1;
        return vec![one];
    }
    (0..experiment.head.arms.len()).map(|index| experiment.arm(index).expect("checked")).collect()
}

/// Runs all arms and replicates, then lets the champions of each replicate meet, and the classical weights.
///
/// The arms of a replicate share its seed, and so their initial population and the luck of the draw.
pub(crate) fn run_study(experiment: &Experiment, lab: &mut Lab<'_>) -> Result<StudyFinding, LabError> {
    let arms = arms(experiment);
    let seeds: Vec<Rng> =
        (0..experiment.head.replicates).map(|replicate| lab.rng(&format!("replicate {replicate}"))).collect();
    // Replicate by replicate, so that whole comparisons are there first.
    let places: Vec<(u32, usize)> = (0..experiment.head.replicates)
        .flat_map(|replicate| (0..arms.len()).map(move |arm| (replicate, arm)))
        .collect();
    let branches = places
        .iter()
        .map(|&(replicate, arm)| {
            lab.branch(&run_path(experiment, arm, replicate), seeds[replicate as usize].clone())
        })
        .collect::<Result<Vec<_>, _>>()?;
    let found = lab.side_by_side(branches, |index, lab| {
        let arm = &arms[places[index].1];
        let finding = run_method(arm, lab)?;
        let differences = arm.method.differences(&finding.champion, lab)?;
        Ok((finding, differences))
    })?;
    let (mut findings, mut differences) = (Vec::new(), Vec::new());
    for ((replicate, arm), (finding, own)) in places.into_iter().zip(found) {
        differences.extend(own.map(|differences| RunDifferences { arm, replicate, differences }));
        findings.push(RunFinding { arm, replicate, finding });
    }
    let mut paths = Paths::new(experiment);
    let playoffs = meet(experiment, &arms, &findings, &mut paths, lab)?;
    let classical = measure(experiment, &arms, &findings, &mut paths, lab)?;
    Ok(StudyFinding { findings, playoffs, classical, differences })
}

fn meet(
    experiment: &Experiment,
    arms: &[Experiment],
    findings: &[RunFinding],
    paths: &mut Paths,
    lab: &Lab<'_>,
) -> Result<Vec<PlayoffMatch>, LabError> {
    let Some(phenotypes) = phenotypes(experiment, arms) else { return Ok(Vec::new()) };
    if phenotypes.iter().any(|phenotype| phenotype.game() != phenotypes[0].game()) {
        return Ok(Vec::new());
    }
    let champion =
        |replicate: u32, arm: usize| &findings[replicate as usize * arms.len() + arm].finding.champion;
    let playoffs: Vec<(u32, [usize; 2])> = (0..experiment.head.replicates)
        .flat_map(|replicate| {
            let pairs = (0..arms.len()).flat_map(move |one| (one + 1..arms.len()).map(move |two| [one, two]));
            pairs.map(move |pair| (replicate, pair))
        })
        .collect();
    let branches = playoffs
        .iter()
        .map(|&(replicate, [one, two])| {
            let names = [one, two].map(|arm| experiment.head.arms[arm].name.as_str());
            let path = paths.take(&format!("playoff {}/{} - {}", replicate + 1, names[0], names[1]));
            lab.branch(&path, lab.rng(&format!("playoff {replicate}")))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let scores = lab.side_by_side(branches, |index, lab| {
        let (replicate, [one, two]) = playoffs[index];
        let players = [one, two].map(|arm| {
            let name = &experiment.head.arms[arm].name;
            phenotypes[arm].contestant(name, champion(replicate, arm))
        });
        play_pairs(lab, &phenotypes[one], &players, experiment.head.playoff)
    })?;
    Ok(playoffs
        .into_iter()
        .zip(scores)
        .map(|((replicate, arms), scores)| PlayoffMatch { replicate, arms, scores })
        .collect())
}

/// Lets every champion play against the classical weights of its model.
fn measure(
    experiment: &Experiment,
    arms: &[Experiment],
    findings: &[RunFinding],
    paths: &mut Paths,
    lab: &Lab<'_>,
) -> Result<Vec<ClassicalMatch>, LabError> {
    let playoff = Playoff { pairs: experiment.head.playoff.classical, ..experiment.head.playoff };
    let Some(phenotypes) = phenotypes(experiment, arms).filter(|_| playoff.pairs > 0) else {
        return Ok(Vec::new());
    };
    let branches = findings
        .iter()
        .map(|run| {
            let path = paths.take(&format!("classical {}", run_path(experiment, run.arm, run.replicate)));
            lab.branch(&path, lab.rng(&format!("classical {}", run.replicate)))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let scores = lab.side_by_side(branches, |index, lab| {
        let run = &findings[index];
        let phenotype = &phenotypes[run.arm];
        let champion = phenotype.contestant("champion", &run.finding.champion);
        play_pairs(lab, phenotype, &[champion, phenotype.classical()], playoff)
    })?;
    let classical =
        |(run, scores): (&RunFinding, _)| ClassicalMatch { arm: run.arm, replicate: run.replicate, scores };
    Ok(findings.iter().zip(scores).map(classical).collect())
}

/// What puts the champions of each arm to the board, if they are players.
fn phenotypes(experiment: &Experiment, arms: &[Experiment]) -> Option<Vec<Phenotype>> {
    let phenotype =
        |arm: &Experiment| Some(arm.method.phenotype()?.with_limits(experiment.head.playoff.limits));
    arms.iter().map(phenotype).collect()
}
