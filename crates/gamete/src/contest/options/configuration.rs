//! What a match is to its journal, and where the journal is.

use std::path::{Path, PathBuf};

use gamete_arena::{Tournament, is_stream};
use serde_json::{Value, json};

use super::Options;
use crate::contest::book_options::BookOptions;

impl Options {
    /// All that decides which games are played, for the journal: everything but their number, which may grow.
    pub fn configuration(&self) -> Value {
        let mut json = json!(self);
        // Version 0.1 had the margin of a program twice, and its journals are resumed.
        for contestant in json["contestants"].as_array_mut().into_iter().flatten() {
            let margin = contestant["time_margin_ms"].clone();
            if let Some(engine) = contestant.pointer_mut("/competitor/engine") {
                engine["time_margin_ms"] = margin;
            }
        }
        json["version"] = env!("CARGO_PKG_VERSION").into();
        json["openings"] = self.openings.configuration(self.game, self.chess960);
        if self.tournament == Tournament::Quick {
            // Here they decide who meets whom.
            json["rounds"] = self.rounds.into();
        }
        json
    }

    /// The same of a match from before there were random openings, if no openings were asked for.
    pub fn old_configuration(&self) -> Option<Value> {
        let BookOptions { file: None, named: None, .. } = &self.openings else { return None };
        let mut json = self.configuration();
        json["openings"] = Value::Null;
        Some(json)
    }

    /// Where the journal is: where it was said, or beside the PGN if that is a file, or in the current directory.
    pub fn journal_path(&self) -> PathBuf {
        if let Some(path) = &self.journal {
            return path.clone();
        }
        match self.pgn.as_ref().filter(|pgn| !is_stream(&pgn.path)) {
            Some(pgn) => {
                let mut name = pgn.path.clone().into_os_string();
                name.push(".db");
                name.into()
            }
            None => {
                let path = named_after(&self.configuration());
                let old = self.old_configuration().map(|configuration| named_after(&configuration));
                // A match that began before is not passed over.
                old.filter(|old| !path.exists() && old.exists()).unwrap_or(path)
            }
        }
    }
}

/// A journal in the current directory.
fn named_after(configuration: &Value) -> PathBuf {
    // FNV-1a, which is the same everywhere and for ever.
    let text = configuration.to_string();
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Path::new(&format!("match-{hash:016x}.db")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration(more: &str) -> String {
        let words = format!(
            "-engine model=chess/material name=A -engine model=chess/classic name=B -each nodes=10 -maxmoves 5 {more}"
        );
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let mut json = Options::parse(&words).unwrap().configuration();
        let names: Vec<Value> =
            json["contestants"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
        json["contestants"] = names.into();
        json["version"] = "0".into();
        json.to_string()
    }

    /// The texts are of version 0.1 but for the contestants and the version itself.
    #[test]
    fn journals_of_earlier_versions_are_recognised() {
        assert_eq!(
            configuration(""),
            r#"{"adjudication":{"at_max_moves":"draw","draw":null,"max_moves":5,"resign":null},"chess960":false,"#.to_owned()
                + r#""contestants":["A","B"],"event":"Gamete match","format":null,"game":"chess","games":2,"#
                + r#""openings":"random openings of 6 plies","order":"random","plies":null,"site":"?","srand":null,"#
                + r#""start":1,"swap":true,"tournament":"round_robin","version":"0"}"#
        );
        assert_eq!(
            configuration(
                "-tournament quick -rounds 1 -reverse -srand 7 -resign movecount=3 score=600 -event E -site S \
                -openings random plies=4 policy=encounter start=3 order=sequential"
            ),
            r#"{"adjudication":{"at_max_moves":"draw","draw":null,"max_moves":5,"#.to_owned()
                + r#""resign":{"move_count":3,"score":600,"two_sided":false}},"chess960":false,"#
                + r#""contestants":["A","B"],"event":"E","format":null,"game":"chess","games":2,"#
                + r#""openings":"random openings of 4 plies","order":"sequential","plies":4,"policy":"encounter","#
                + r#""reverse":true,"rounds":1,"site":"S","srand":7,"start":3,"swap":true,"tournament":"quick","version":"0"}"#
        );
    }

    #[test]
    fn programs_are_recognised_as_version_0_1_wrote_them() {
        let words = "-engine cmd=x option.Hash=2 -engine cmd=y -each nodes=10 timemargin=5";
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let json = Options::parse(&words).unwrap().configuration();
        assert_eq!(
            json["contestants"][0].to_string(),
            r#"{"competitor":{"engine":{"cmd":"x","options":[["Hash","2"]],"restart":"auto","time_margin_ms":5}},"#
                .to_owned()
                + r#""limits":"nodes=10","name":"x","time_margin_ms":5}"#
        );
    }

    #[test]
    fn what_does_not_decide_games_is_not_in_it() {
        let more = "-rounds 9 -concurrency 3 -pgnout x.pgn -epdout x.epd -sprt elo0=0 elo1=2 -recover off -wait 5 \
            -ratinginterval 3 -output format=cutechess -journal x.db -fresh -json -startup-ms 7";
        assert_eq!(configuration(more), configuration(""));
        assert_ne!(configuration("-noswap"), configuration(""));
    }
}
