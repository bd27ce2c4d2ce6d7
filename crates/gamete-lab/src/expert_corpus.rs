use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use gamete_arena::{Player, dispatch};
use gamete_corpus::{Differences, ExpertTable, Leaf, Lesson, Part, differences};
use gamete_optim::{Genome, Key, Settings};

use crate::breed::Breed;
use crate::corpus_file::CorpusFile;
use crate::experiment::ExperimentError;
use crate::measure::Measure;
use crate::phenotype::Phenotype;
use crate::runtime::{Lab, LabError};

/// The corpus of experts that players learn from, by the keys [`ExpertCorpus::FILE`] and [`ExpertCorpus::LEAF`].
#[derive(Debug)]
pub(crate) struct ExpertCorpus {
    file: CorpusFile,
    leaf: Leaf,
    /// What the experts could have played.
    table: OnceLock<ExpertTable>,
    /// Hits of players that were the best, in positions that nothing is learned from: they often stay so for generations.
    test_hits: Mutex<HashMap<Vec<i32>, u32>>,
}

impl ExpertCorpus {
    /// The key of its file.
    pub const FILE: Key = Key::text(
        "corpus",
        "",
        "corpus of positions, made by `gamete corpus make`; or own, for Gamete's own games",
    );

    /// The key that says where moves are evaluated.
    pub const LEAF: Key = Key::choice(
        "leaf",
        &["static", "quiet", "search"],
        "where moves are evaluated: at once; or after the captures that then pay, or where a search leads, both by textbook values",
    );

    /// The key of how far such a search goes.
    pub const PLIES: Key = Key::integer(
        "plies",
        [1, 5],
        3,
        "plies of the search after each move, if leaf = \"search\"; captures follow",
    );

    /// The corpus of these settings. Errors name its file by `key`.
    pub fn new(key: &'static str, settings: &Settings) -> Self {
        let made_by = "gamete corpus make games.pgn -o experts.corpus";
        Self {
            file: CorpusFile::new(key, settings.choice("corpus"), Lesson::Moves, made_by),
            leaf: match settings.choice("leaf") {
                "quiet" => Leaf::Quiet,
                "search" => Leaf::Search(settings.count("plies") as u32),
                _ => Leaf::Static,
            },
            table: OnceLock::new(),
            test_hits: Mutex::default(),
        }
    }

    /// Where moves are evaluated, in words.
    pub fn leaf_text(&self) -> String {
        match self.leaf {
            Leaf::Static => "at once".to_owned(),
            Leaf::Quiet => "after the captures that pay".to_owned(),
            Leaf::Search(plies) => format!("where a search of {plies} more plies leads"),
        }
    }

    /// Its file.
    pub fn file(&self) -> &str {
        self.file.path()
    }

    /// The hash of the corpus, which is checked once.
    pub fn hash(&self, players: &Breed) -> Result<&str, ExperimentError> {
        self.file.hash(players)
    }

    /// Journals which corpus it is, or refuses it where another one was journalled.
    pub fn remember(&self, players: &Breed, lab: &mut Lab<'_>) -> Result<(), LabError> {
        self.file.remember("experts.corpus", players, lab)
    }

    /// The features of the corpus, extracted once.
    pub fn table(&self, players: &Breed, lab: &Lab<'_>) -> Result<&ExpertTable, LabError> {
        if let Some(table) = self.table.get() {
            return Ok(table);
        }
        let (corpus, model) = (self.file.open_again(players)?, players.model());
        let table = dispatch!(model.game, G => {
            let samples = corpus.samples::<G>().map_err(|error| self.file.bad(error))?;
            ExpertTable::extract(samples, model, self.leaf, lab.threads(), lab.stop())
                .map_err(|error| self.file.not_extracted(error))?
        });
        Ok(self.table.get_or_init(|| table))
    }

    /// The features of the corpus where searches of a player lead, to so many plies after each move.
    pub fn searched_table(
        &self,
        players: &Breed,
        player: &Player,
        plies: u32,
        lab: &Lab<'_>,
    ) -> Result<ExpertTable, LabError> {
        let corpus = self.file.open_again(players)?;
        dispatch!(players.game(), G => {
            let samples = corpus.samples::<G>().map_err(|error| self.file.bad(error))?;
            ExpertTable::searched(samples, player, plies, lab.threads(), lab.stop())
                .map_err(|error| self.file.not_extracted(error))
        })
    }

    /// How many positions are to learn from, and how many others there are.
    pub fn positions(&self, players: &Breed, lab: &Lab<'_>) -> Result<[u32; 2], LabError> {
        let table = self.table(players, lab)?;
        Ok([Part::Train, Part::Test].map(|part| table.positions(part)))
    }

    /// The hits of a player, given by its weights as they are multiplied, in positions that nothing is learned from.
    pub fn test_hits(&self, players: &Breed, weights: &[i32], lab: &Lab<'_>) -> Result<Measure, LabError> {
        const MAX_KNOWN: usize = 10_000;
        let table = self.table(players, lab)?;
        let mut known = self.test_hits.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        let hits = *known
            .entry(weights.to_vec())
            .or_insert_with(|| table.hits(Part::Test, &[weights.to_vec()], lab.threads())[0]);
        Ok(test_measure(hits, table))
    }

    /// On which moves a champion differs from the experts in positions that nothing was learned from, which is journalled; nothing
    /// where there are none. With `own_plies` moves are evaluated where its own searches of so many plies lead.
    pub fn differences(
        &self,
        players: &Breed,
        champion: &Genome,
        own_plies: Option<u32>,
        lab: &mut Lab<'_>,
    ) -> Result<Option<Differences>, LabError> {
        let weights = Phenotype::new(players).whole_weights(champion);
        let bytes: Vec<u8> = weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
        lab.remember(&format!("differences {}", blake3::hash(&bytes).to_hex()), |lab| {
            let player = players.player("", champion);
            let searched =
                own_plies.map(|plies| self.searched_table(players, &player, plies, lab)).transpose()?;
            let table = match &searched {
                Some(searched) => searched,
                None => self.table(players, lab)?,
            };
            let corpus = self.file.open_again(players)?;
            if table.positions(Part::Test) == 0 {
                return Ok(None);
            }
            let found = dispatch!(players.game(), G => {
                let samples = corpus.samples::<G>().map_err(|error| self.file.bad(error))?;
                differences(table, samples, Part::Test, &weights)
            });
            Ok(Some(found.map_err(|error| self.file.bad(error))?))
        })
    }
}

/// Hits in positions that nothing is learned from, as a measure.
pub(crate) fn test_measure(hits: u32, table: &ExpertTable) -> Measure {
    Measure::of_best(Measure::TEST_HITS, hits.into()).out_of(table.positions(Part::Test).into())
}
