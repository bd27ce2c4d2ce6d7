//! Experiments on a fake executor, for tests of methods and of the lab.

use std::sync::atomic::AtomicBool;
use std::thread;

use gamete_arena::{Executor, Fake, Player, Rng};

use crate::RunError;
use crate::engines::EngineContents;
use crate::experiment::Experiment;
use crate::run::{Session, run};
use crate::runtime::{Lab, LabError, RunningTime, Runtime, TaskIdentity};
use crate::store::{ExperimentRow, Store};

/// A lab in a temporary directory.
pub(crate) struct TestLab(tempfile::TempDir);

impl TestLab {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    pub fn store(&self) -> Store {
        Store::create(self.0.path()).expect("a lab")
    }

    /// Runs an experiment to its end, or as far as it comes.
    pub fn run(&self, text: &str, executor: &dyn Executor) -> Result<Session, RunError> {
        self.run_until(text, executor, &AtomicBool::new(false))
    }

    pub fn run_until(
        &self,
        text: &str,
        executor: &dyn Executor,
        stop: &AtomicBool,
    ) -> Result<Session, RunError> {
        let experiment = experiment(text);
        run(&self.store(), &experiment.head.name, &experiment, executor, stop, |_| {})
    }

    /// Does something with a lab as a method does.
    pub fn method<T>(
        &self,
        executor: &dyn Executor,
        act: impl FnOnce(&mut Lab<'_>) -> Result<T, LabError>,
    ) -> Result<T, LabError> {
        const ID: &str = "method";
        let store = self.store();
        if store.find(ID).expect("a lab").is_none() {
            let (id, file, method) = (ID.to_owned(), String::new(), String::new());
            let (about, signature) = (String::new(), String::new());
            let row = ExperimentRow {
                id,
                file,
                method,
                about,
                seed: 1,
                signature,
                created: 0,
                seconds: 0.0,
                result: None,
            };
            store.insert(&row).expect("a lab");
        }
        let clock = RunningTime { earlier: 0.0, counts: true };
        let (runtime, inbox) =
            Runtime::new(ID, TaskIdentity::new(EngineContents::new()), executor, self.store(), clock);
        thread::scope(|scope| {
            let runtime = &runtime;
            scope.spawn(move || inbox.serve(&store, runtime));
            let result = Lab::new(runtime, "", Rng::new(1)).and_then(|mut lab| act(&mut lab));
            runtime.finish_writing();
            result
        })
    }
}

/// The experiment of a file.
pub(crate) fn experiment(text: &str) -> Experiment {
    Experiment::from_table(&text.parse().expect("TOML")).expect("an experiment")
}

/// How strong a player is by decree: the nearer its weights are to those of its model, the stronger.
pub(crate) fn strength(player: &Player) -> f64 {
    let weights = player.model().weights.iter().zip(player.weights());
    let distances = weights.map(|(weight, value)| (value - weight.default).abs() / (weight.max - weight.min));
    let number = player.weights().len() as f64;
    -3.0 * distances.sum::<f64>() / number
}

/// Games that are decided by [`strength`] and luck.
pub(crate) fn fake() -> Fake {
    Fake::by_strength(strength)
}
