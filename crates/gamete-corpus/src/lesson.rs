use gamete_arena::Playable;
use gamete_game::Outcome;

use crate::{ExtractError, Part, Samples};

/// What is learned from a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lesson {
    /// The moves of experts.
    Moves,
    /// The scores of a mentor.
    Scores,
    /// The results of games.
    Results,
}

impl Lesson {
    /// Refuses a corpus that does not teach this, before any features are extracted.
    ///
    /// # Errors
    ///
    /// When it was made for something else, or is damaged.
    pub fn check<G: Playable>(self, samples: Samples<'_, G>) -> Result<(), ExtractError> {
        let name = || samples.name().to_owned();
        match self {
            Self::Moves => {
                let manifest = samples.manifest();
                if manifest.setting("take") == Some("results") && manifest.setting("mentor").is_none() {
                    return Err(ExtractError::NoExperts(name()));
                }
            }
            Self::Scores => {
                for sample in samples.iter() {
                    sample?.score.ok_or_else(|| ExtractError::NoScores(name()))?;
                }
            }
            Self::Results => {
                let (mut first, mut is_one) = (None, true);
                for sample in samples.iter() {
                    let sample = sample?;
                    let outcome = sample.outcome.ok_or_else(|| ExtractError::NoResults(name()))?;
                    if sample.part == Part::Train {
                        let has_won = match outcome {
                            Outcome::Win(winner) => Some(winner == sample.position.turn()),
                            Outcome::Draw => None,
                        };
                        is_one &= *first.get_or_insert(has_won) == has_won;
                    }
                }
                if let (Some(result), true) = (first, is_one) {
                    let result = match result {
                        Some(true) => "wins",
                        Some(false) => "loses",
                        None => "draws",
                    };
                    return Err(ExtractError::OneResult { path: name(), result });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gamete_chess::Position;
    use gamete_game::Color;

    use super::*;
    use crate::testing::manifest;
    use crate::{Corpus, Sample, write_corpus};

    /// What each lesson says of a corpus with these outcomes and scores, all with White to move.
    fn said(outcomes: &[Option<Outcome>], score: Option<i32>, take: &str) -> [String; 3] {
        let folder = tempfile::tempdir().expect("a folder");
        let sample = |&outcome| {
            let position = Position::default();
            Sample { position, source: 1, part: Part::Train, choices: Vec::new(), outcome, score }
        };
        let samples: Vec<Sample<Position>> = outcomes.iter().map(sample).collect();
        let path = folder.path().join("a.corpus");
        let mut manifest = manifest::<Position>();
        manifest.settings = vec![("take".to_owned(), take.to_owned())];
        write_corpus(&path, manifest, &samples).expect("written");
        let corpus = Corpus::open(&path).expect("a corpus");
        [Lesson::Moves, Lesson::Scores, Lesson::Results].map(|lesson| {
            let error = lesson.check(corpus.samples::<Position>().expect("chess")).err();
            error.map_or_else(String::new, |error| {
                error.to_string().rsplit("a.corpus: ").next().unwrap_or("").to_owned()
            })
        })
    }

    #[test]
    fn a_corpus_teaches_what_it_has() {
        let won = Some(Outcome::Win(Color::White));
        let [moves, scores, results] = said(&[won, Some(Outcome::Draw)], Some(3), "experts");
        assert_eq!([moves, scores, results], ["", "", ""]);
        let [moves, scores, results] = said(&[won, None], None, "results");
        assert!(moves.contains("--take results"), "{moves}");
        assert!(scores.contains("no scores") && results.contains("do not say who won"), "{scores} {results}");
    }

    #[test]
    fn results_that_are_all_alike_teach_nothing() {
        for (outcome, word) in [
            (Outcome::Win(Color::White), "wins"),
            (Outcome::Win(Color::Black), "loses"),
            (Outcome::Draw, "draws"),
        ] {
            let [.., results] = said(&[Some(outcome); 3], None, "experts");
            assert!(results.starts_with(&format!("the side to move {word} in every")), "{results}");
        }
    }
}
