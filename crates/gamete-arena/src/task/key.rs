use std::fmt;

use gamete_engine::SearchSettings;

use super::expert_task::ExpertMove;
use super::solve_task::Puzzle;
use super::study::DEFAULT_HASH_MB;
use super::{Competitor, Contestant, ExpertTask, GameTask, NamedEngine, ScoreTask, SolveTask, Task};
use crate::uci::{EngineCatalog, EngineSpec, Restart};
use crate::{Adjudication, AtMaxMoves, DrawRule, GameName, ResignRule, TablebaseDecides, TablebaseRule};

/// The name of a task: a hash of all that decides its outcome, and of nothing else.
///
/// What is hashed has a form of its own, so that it stays the same whatever becomes of files and types: names and values in a
/// fixed order, and only what differs from its default. So players may be called anything, and a new field leaves old keys
/// alone as long as it has its default.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaskKey([u8; 32]);

impl TaskKey {
    /// The version of what is hashed. Another order, spelling or default is another version.
    pub const VERSION: u32 = 2;

    /// The version of what is hashed of tasks with other programs, which had the commands of these before.
    pub const ENGINE_VERSION: u32 = 3;

    /// The key of a game.
    pub fn of_game(task: &GameTask) -> Self {
        let mut key = KeyWriter::new("game", [&task.white, &task.black]);
        key.game_task(task);
        key.finish()
    }

    /// The key of any task.
    pub(super) fn of(task: &Task) -> Self {
        KeyWriter::new(kind(task), task.contestants()).of(task)
    }

    /// The key that a task had in [`VERSION`](Self::VERSION), which hashed how engines are started instead of their names;
    /// nothing where one is not in the catalogue. Tasks without engines have the same key.
    pub fn of_commands(task: &Task, engines: &EngineCatalog) -> Option<Self> {
        let mut specs = Vec::new();
        for engine in task.contestants().filter_map(Contestant::engine) {
            specs.push((engine, engines.spec(engine).ok()?));
        }
        Some(KeyWriter { specs, ..KeyWriter::new(kind(task), []) }.of(task))
    }

    /// Its first eight bytes, which are enough to see that two tasks differ.
    pub fn short(self) -> i64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        i64::from_le_bytes([a, b, c, d, e, f, g, h])
    }
}

impl fmt::Display for TaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for TaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskKey({self})")
    }
}

fn kind(task: &Task) -> &'static str {
    match task {
        Task::Game(_) => "game",
        Task::Solve(_) => "solve",
        Task::Expert(_) => "expert",
        Task::Score(_) => "score",
    }
}

/// Hashes names and values. Each value has its length before it, so that no two lists of them look alike.
pub(crate) struct KeyWriter<'a> {
    hasher: blake3::Hasher,
    /// How engines are started, if that is hashed instead of their names.
    specs: Vec<(&'a NamedEngine, EngineSpec)>,
}

impl<'a> KeyWriter<'a> {
    fn new(kind: &str, contestants: impl IntoIterator<Item = &'a Contestant>) -> Self {
        let has_engine = contestants.into_iter().any(|contestant| contestant.engine().is_some());
        let version = if has_engine { TaskKey::ENGINE_VERSION } else { TaskKey::VERSION };
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("gamete task {version} {kind}\n").as_bytes());
        Self { hasher, specs: Vec::new() }
    }

    fn finish(self) -> TaskKey {
        TaskKey(self.hasher.finalize().into())
    }

    fn of(mut self, task: &Task) -> TaskKey {
        match task {
            Task::Game(task) => self.game_task(task),
            Task::Solve(task) => self.solve_task(task),
            Task::Expert(task) => self.expert_task(task),
            Task::Score(task) => self.score_task(task),
        }
        self.finish()
    }

    fn bytes(&mut self, name: &str, value: &[u8]) {
        self.hasher.update(name.as_bytes());
        self.hasher.update(&[0]);
        self.hasher.update(&(value.len() as u64).to_le_bytes());
        self.hasher.update(value);
    }

    pub(crate) fn text(&mut self, name: &str, value: &str) {
        self.bytes(name, value.as_bytes());
    }

    pub(crate) fn number(&mut self, name: &str, value: u64) {
        self.bytes(name, &value.to_le_bytes());
    }

    /// To the last bit.
    pub(crate) fn reals(&mut self, name: &str, values: &[f64]) {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_bits().to_le_bytes()).collect();
        self.bytes(name, &bytes);
    }

    fn flag(&mut self, name: &str, value: bool) {
        if value {
            self.bytes(name, &[]);
        }
    }

    fn texts(&mut self, name: &str, values: &[String]) {
        values.iter().for_each(|value| self.text(name, value));
    }

    /// What follows is of something inside the whole.
    fn part(&mut self, name: &str) {
        self.bytes(name, &[]);
    }

    fn game(&mut self, game: GameName) {
        self.text("game", game.as_str());
    }

    fn game_task(&mut self, task: &GameTask) {
        let GameTask { game, start, book, white, black, adjudication, seed, details } = task;
        self.game(*game);
        self.text("start", start);
        self.texts("book", book);
        self.part("white");
        self.contestant(white);
        self.part("black");
        self.contestant(black);
        self.adjudication(adjudication);
        self.number("seed", *seed);
        self.flag("details", *details);
    }

    fn solve_task(&mut self, task: &SolveTask) {
        let SolveTask { game, solver, hash_mb, positions } = task;
        self.game(*game);
        self.contestant(solver);
        self.hash_mb(*hash_mb);
        for Puzzle { fen, best, avoid } in positions {
            self.text("position", fen);
            self.texts("best", best);
            self.texts("avoid", avoid);
        }
    }

    fn expert_task(&mut self, task: &ExpertTask) {
        let ExpertTask { game, player, hash_mb, positions } = task;
        self.game(*game);
        self.contestant(player);
        self.hash_mb(*hash_mb);
        for ExpertMove { fen, mv } in positions {
            self.text("position", fen);
            self.text("move", mv);
        }
    }

    fn score_task(&mut self, task: &ScoreTask) {
        let ScoreTask { game, mentor, hash_mb, positions } = task;
        self.game(*game);
        self.contestant(mentor);
        self.hash_mb(*hash_mb);
        self.texts("position", positions);
    }

    fn hash_mb(&mut self, megabytes: u32) {
        if megabytes != DEFAULT_HASH_MB {
            self.number("hash", megabytes.into());
        }
    }

    fn contestant(&mut self, contestant: &Contestant) {
        let Contestant { name: _, competitor, limits, time_margin_ms } = contestant;
        match competitor {
            Competitor::Player(player) => player.write_key(self),
            Competitor::Engine(engine) => self.engine(engine),
        }
        self.text("limits", &limits.to_string());
        if *time_margin_ms > 0 {
            self.number("margin", *time_margin_ms);
        }
    }

    fn engine(&mut self, engine: &NamedEngine) {
        if let Some((_, spec)) = self.specs.iter().find(|(known, _)| *known == engine) {
            let spec = spec.clone();
            return self.command(&spec);
        }
        let NamedEngine { name, content, options } = engine;
        self.text("engine", name);
        if let Some(content) = content {
            self.text("content", content);
        }
        self.options(options);
    }

    fn options(&mut self, options: &[(String, String)]) {
        for (name, value) in options {
            self.text("option", name);
            self.text("value", value);
        }
    }

    /// As [`TaskKey::VERSION`] has an engine.
    fn command(&mut self, spec: &EngineSpec) {
        let EngineSpec { cmd, args, dir, name: _, options, restart } = spec;
        self.text("engine", &cmd.to_string_lossy());
        self.texts("argument", args);
        if let Some(dir) = dir {
            self.text("directory", &dir.to_string_lossy());
        }
        self.options(options);
        match restart {
            Restart::Auto => {}
            Restart::On => self.text("restart", "on"),
            Restart::Off => self.text("restart", "off"),
        }
    }

    /// What is on that plain minimax has off.
    pub(crate) fn search(&mut self, settings: &SearchSettings) {
        let minimax = SearchSettings::minimax();
        for setting in SearchSettings::SETTINGS {
            let value = setting.get(settings);
            if value != setting.get(&minimax) {
                self.number(setting.parameter.name, i64::from(value).cast_unsigned());
            }
        }
    }

    fn adjudication(&mut self, adjudication: &Adjudication) {
        let Adjudication { draw, resign, max_moves, at_max_moves, endless, tablebase } = adjudication;
        if let Some(DrawRule { move_number, move_count, score }) = draw {
            self.part("draw");
            self.number("from move", (*move_number).into());
            self.number("moves", (*move_count).into());
            self.number("score", (*score).into());
        }
        if let Some(ResignRule { move_count, score, two_sided }) = resign {
            self.part("resign");
            self.number("moves", (*move_count).into());
            self.number("score", (*score).into());
            self.flag("two-sided", *two_sided);
        }
        if let Some(moves) = max_moves {
            self.number("max moves", (*moves).into());
        }
        match at_max_moves {
            AtMaxMoves::Draw => {}
            AtMaxMoves::Material => self.text("at max moves", "material"),
        }
        self.flag("endless", *endless);
        if let Some(TablebaseRule { max_pieces, ignore_fifty_moves, decides }) = tablebase {
            self.part("tablebase");
            if let Some(pieces) = max_pieces {
                self.number("pieces", (*pieces).into());
            }
            self.flag("ignore fifty moves", *ignore_fifty_moves);
            match decides {
                TablebaseDecides::Both => {}
                TablebaseDecides::WinLoss => self.text("decides", "win or loss"),
                TablebaseDecides::Draw => self.text("decides", "draw"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::tests::tasks;
    use crate::{Limits, Player};

    fn game() -> GameTask {
        match tasks().swap_remove(0) {
            Task::Game(task) => *task,
            other => panic!("{other:?}"),
        }
    }

    /// Keys are in journals: these values may only change together with [`TaskKey::VERSION`], and then the lab has to know both.
    #[test]
    fn keys_stay_what_they_are() {
        let keys: Vec<_> = tasks()[..4].iter().map(|task| task.key().to_string()).collect();
        let expected = [
            "63b2bb7d1666a2f85db81db2fd499c2ebb7e5acc143ecd162d5012e77bdb58a0",
            "378743d87ea49f835ba352b277b9dc510370d8570b055d9ccb2020f5f775a522",
            "d7b5b446aafe00f78f708ccf43fa0baf2cbc064d0b37712bfe2b4f8a4c6af65b",
            "7db8e3b7dd5a8985804a3907711c30ae9e27c6b1faf14f8a89c9e328622f747d",
        ];
        assert_eq!(keys, expected);
        let mut rules = game();
        rules.adjudication = Adjudication {
            draw: Some(DrawRule { move_number: 34, move_count: 8, score: 20 }),
            resign: Some(ResignRule { move_count: 3, score: 600, two_sided: true }),
            max_moves: Some(120),
            at_max_moves: AtMaxMoves::Material,
            endless: true,
            tablebase: Some(TablebaseRule {
                max_pieces: Some(6),
                ignore_fifty_moves: true,
                decides: TablebaseDecides::WinLoss,
            }),
        };
        let mut spec = EngineSpec::new("bin/x").with_args(["a", "b"]).with_option("Hash", "16");
        spec.restart = Restart::On;
        let mut engines = EngineCatalog::default();
        rules.black.competitor = Competitor::Engine(engines.add("x", spec, Some("1a2b".to_owned())));
        let key = "74ce123cd9b48567c5c075142d380e1492b2b398f56a8800a616859eb56c829b";
        assert_eq!(TaskKey::of_game(&rules).to_string(), key);
        assert_eq!(Task::from(rules.clone()).key().to_string(), key);
        let old = "0cdf1c93afb4b58237a6c0930f0f86d1ee34a388e7fbd0d434d2cf0d78f87338";
        let of_commands = |engines: &EngineCatalog| TaskKey::of_commands(&rules.clone().into(), engines);
        assert_eq!(of_commands(&engines).unwrap().to_string(), old, "the key of version 2");
        assert_eq!(of_commands(&EngineCatalog::default()), None);
        assert_eq!(rules.journal_key_of_commands(&engines), Some(of_commands(&engines).unwrap().short()));
        assert_eq!(TaskKey::of_game(&game()).short(), -530_749_559_291_530_653);
    }

    #[test]
    fn an_engine_is_its_name_its_content_and_its_options() {
        let task = |name: &str, content: Option<&str>, spec: EngineSpec| {
            let mut task = game();
            let engine = EngineCatalog::default().add(name, spec, content.map(str::to_owned));
            task.black.competitor = Competitor::Engine(engine);
            TaskKey::of_game(&task)
        };
        let key = task("x", Some("1a"), EngineSpec::new("x"));
        assert_eq!(task("x", Some("1a"), EngineSpec::new("/usr/bin/x").with_args(["--uci"])), key);
        assert_ne!(task("y", Some("1a"), EngineSpec::new("x")), key);
        assert_ne!(task("x", Some("1b"), EngineSpec::new("x")), key);
        assert_ne!(task("x", None, EngineSpec::new("x")), key);
        assert_ne!(task("x", Some("1a"), EngineSpec::new("x").with_option("Hash", "1")), key);
    }

    #[test]
    fn names_are_no_part_of_a_key_and_all_else_is() {
        let key = TaskKey::of_game(&game());
        let mut named = game();
        named.white.name = "another".to_owned();
        let Competitor::Player(player) = &mut named.white.competitor else { panic!("a player") };
        player.name = "still another".to_owned();
        assert_eq!(TaskKey::of_game(&named), key);
        let changes: [fn(&mut GameTask); 10] = [
            |task| task.seed += 1,
            |task| task.start = "8/8".to_owned(),
            |task| task.book.push("e4".to_owned()),
            |task| task.details = true,
            |task| std::mem::swap(&mut task.white, &mut task.black),
            |task| task.white.limits = Limits::nodes(61),
            |task| task.white.time_margin_ms = 1,
            |task| task.adjudication.max_moves = Some(1),
            |task| change_player(task, |player| player.set_weight("knight", 2999.0).expect("a weight")),
            |task| change_player(task, |player| player.set_search("history", 0.0).expect("a setting")),
        ];
        let mut keys = std::collections::HashSet::from([key]);
        for (number, change) in changes.into_iter().enumerate() {
            let mut task = game();
            change(&mut task);
            assert!(keys.insert(TaskKey::of_game(&task)), "change {number}");
        }
    }

    fn change_player(task: &mut GameTask, change: fn(&mut Player)) {
        let Competitor::Player(player) = &mut task.white.competitor else { panic!("a player") };
        change(player);
    }
}
