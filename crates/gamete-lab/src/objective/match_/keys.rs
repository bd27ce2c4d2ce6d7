//! What can be set of a match.

use gamete_optim::Key;

use crate::experiment::Playoff;
use crate::objective::openings::SHUFFLED;

/// The keys of the objective, as a file has them behind `match.`.
pub(super) const KEYS: &[Key] = &[
    Key::texts(
        "opponents",
        "opponents: classical (the model without evolution), start (the values of [parameters]), models, player files, \
         cmd=PROGRAM (a UCI engine); classical if empty",
    ),
    Key::flag("mixed", false, "each pair is against one of the opponents, at random, instead of all of them"),
    Key::integer("pairs", [1, Playoff::MAX_PAIRS as i64], 4, "pairs of games against each opponent"),
    Key::choice(
        "colors",
        &["both", "random", "white", "black"],
        "a pair is two games with colours reversed; or one game, in which the trial has a random colour or always the same",
    ),
    Key::choice(
        "faults",
        &["loss", "draw"],
        "a crash, an illegal move or silence loses the game, which does not count if it is the opponent's; or is half a point for both",
    ),
    Key::integer("plies", [0, Playoff::MAX_PLIES as i64], 6, "random plies of openings"),
    Key::text(
        "openings",
        "",
        "file of openings (EPD, PGN or PDN, compressed or not) instead of random plies",
    ),
    Key::integer("book_plies", [0, 1000], 0, "plies to take from its games, 0 for all"),
    Key::integer(
        "positions",
        [0, 100_000],
        0,
        "number of openings for all trials, drawn once by the seed; 0 for all there are",
    ),
    Key::choice("redraw", &["generation", "trial"], "what gets its own openings from these"),
    Key::real(
        "held_out",
        [0.0, 0.9],
        0.0,
        "share of the openings that no trial uses, for the games that verify the result",
    ),
    Key::text(
        "draw",
        "",
        "draw games that both sides consider even, as in movenumber=40 movecount=8 score=10",
    ),
    Key::text(
        "resign",
        "",
        "end games that a side considers lost, as in movecount=3 score=600 twosided=true",
    ),
    Key::choice(
        "tables",
        &["none", "both", "win_loss", "draw"],
        "which games endgame tables decide; `gamete tune -tb` says where they are",
    ),
    Key::integer(
        "table_pieces",
        [0, 32],
        0,
        "most pieces in positions to look up, 0 for all there are tables for",
    ),
    Key::flag("table_fifty", true, "whether table wins must come within fifty moves"),
    Key::choice(
        "variant",
        &["standard", SHUFFLED],
        "random openings begin with the usual start position, or with those of Chess960",
    ),
    Key::texts(
        "engine",
        "UCI engine and its arguments, whose [options] are tuned instead of weights; none if empty",
    ),
    Key::text("dir", "", "directory the engine runs in"),
    Key::choice("restart", &["auto", "on", "off"], "whether the engine is restarted for each game"),
    Key::integer("time_margin", [0, 3_600_000], 0, "milliseconds a player may exceed its time"),
    Key::choice(
        "rounding",
        &["nearest", "stochastic"],
        "round whole numbers to the nearest, or up or down at random for each pair, right on average, as always with rivals",
    ),
];
