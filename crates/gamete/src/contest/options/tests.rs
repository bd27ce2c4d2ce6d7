use std::path::Path;

use gamete_arena::{AtMaxMoves, TablebaseDecides, TablebaseRule};

use super::*;
use crate::contest::starts::NamedStart;

fn parse(text: &str) -> Result<Options> {
    Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
}

const TWO: &str = "-engine model=chess/material -engine model=chess/classic -each nodes=10";

#[test]
fn the_spelling_of_fastchess_is_understood() {
    let options = parse(
        "-engine model=chess/material name=A depth=3 weight.knight=3100 -engine model=chess/material name=A \
        -each tc=10+0.1 timemargin=20 -rounds 50 -games 2 -repeat -concurrency 3 -draw movenumber=34 movecount=8 score=20 \
        -resign movecount=3 score=600 twosided=true -maxmoves 200 -sprt elo0=0 elo1=2 alpha=0.05 beta=0.05 \
        model=normalized -pgnout file=x.pgn append=false -ratinginterval 5 -srand 42 -recover -variant fischerandom",
    )
    .unwrap();
    let names: Vec<_> = options.contestants.iter().map(|contestant| contestant.name.as_str()).collect();
    assert_eq!(names, ["A", "A_2"]);
    assert_eq!(options.contestants[0].limits.to_string(), "tc=10+0.1 depth=3");
    assert_eq!((options.rounds, options.games, options.concurrency), (50, 2, 3));
    assert_eq!(options.adjudication.draw.unwrap().move_number, 34);
    assert!(options.adjudication.resign.unwrap().two_sided && options.chess960);
    assert_eq!(options.journal_path(), Path::new("x.pgn.db"));
    assert!(!options.pgn.unwrap().append);
}

#[test]
fn the_shortcut_of_fastchess_leaves_room_for_more() {
    let options = parse("-quick model=chess/classic model=chess/material -rounds 7 -each nodes=9").unwrap();
    assert_eq!((options.rounds, options.games, options.output), (7, 2, OutputFormat::Cutechess));
    assert_eq!(options.contestants[1].limits.to_string(), "nodes=9");
    assert_eq!(options.adjudication.draw.unwrap().move_number, 30);
    let options = parse("-srand 1 -quick model=chess/classic model=chess/material").unwrap();
    assert_eq!((options.rounds, options.seed), (25_000, Some(1)));
    assert_eq!(options.contestants[0].limits.to_string(), "tc=10+0.1");
    let error = parse("-quick model=chess/classic model=chess/material book=none.epd").unwrap_err();
    assert_eq!(error.to_string(), "-openings: none.epd: there is no such file");
}

#[test]
fn gauntlets_have_seeds() {
    let three = format!("{TWO} -engine model=chess/material");
    let options = parse(&format!("{three} -tournament gauntlet -seeds 2 -reverse")).unwrap();
    assert_eq!(options.tournament, Tournament::Gauntlet { seeds: 2 });
    assert!(options.reverse);
    let error = |text: &str| parse(&format!("{three} {text}")).unwrap_err().to_string();
    assert_eq!(error("-seeds 2"), "-seeds: only a gauntlet has seeds: -tournament gauntlet");
    assert!(error("-tournament gauntlet -seeds 3").contains("leave no gauntlet"));
    assert!(error("-output format=openbnch").contains("did you mean openbench?"));
}

#[test]
fn tables_are_named_as_for_fastchess() {
    let options = parse(&format!("{TWO} -tb a:b/c -tbpieces 5 -tbignore50 -tbadjudicate DRAW")).unwrap();
    assert_eq!(options.tables.unwrap(), [Path::new("a"), Path::new("b/c")]);
    let decides = TablebaseDecides::Draw;
    let rule = TablebaseRule { max_pieces: Some(5), ignore_fifty_moves: true, decides };
    assert_eq!(options.adjudication.tablebase, Some(rule));
    let options = parse(&format!("{TWO} -tb a -tbpieces 0")).unwrap();
    assert_eq!(options.adjudication.tablebase, Some(TablebaseRule::default()));
    assert_eq!(parse(TWO).unwrap().adjudication.tablebase, None);
    let error = |text: &str| format!("{:#}", parse(text).unwrap_err());
    assert_eq!(error(&format!("{TWO} -tbpieces 5")), "-tbpieces: say with -tb where the tables are");
    let wrong = error(&format!("{TWO} -tb a -tbadjudicate WINS"));
    assert_eq!(wrong, "-tbadjudicate: \"WINS\" is not WIN_LOSS, DRAW or BOTH");
    let checkers = "-engine model=checkers/material -engine model=checkers/squares -each nodes=1 -tb a";
    assert!(error(checkers).contains("tables of chess alone"));
}

#[test]
fn long_games_are_drawn_or_decided_by_material() {
    let at = |text: &str| {
        let rules = parse(&format!("{TWO} {text}")).unwrap().adjudication;
        (rules.max_moves, rules.at_max_moves)
    };
    assert_eq!(at(""), (None, AtMaxMoves::Draw));
    assert_eq!(at("-maxmoves 200"), (Some(200), AtMaxMoves::Draw));
    assert_eq!(at("-maxmoves 120 material"), (Some(120), AtMaxMoves::Material));
}

#[test]
fn the_number_of_games_is_understood_as_it_is_meant() {
    let games = |text: &str| {
        let options = parse(&format!("{TWO} {text}")).unwrap();
        (options.rounds, options.games)
    };
    assert_eq!(games(""), (1, 2));
    assert_eq!(games("-rounds 7"), (7, 2));
    assert_eq!(games("-games 100 -repeat"), (50, 2));
    assert_eq!(games("-games 100 -rounds 2"), (100, 2));
    assert_eq!(games("-games 1 -rounds 20"), (20, 1));
    assert_eq!(games("-rounds 4 -repeat 2"), (4, 2));
}

#[test]
fn more_games_than_can_be_counted_are_refused() {
    let error = |text: &str| parse(&format!("{TWO} {text}")).unwrap_err().to_string();
    assert!(error("-rounds 1000000000001").contains("-rounds: 1000000000001 are more than anybody plays"));
    assert!(error("-rounds 3 -games 1001").contains("-games: 1001 games from one opening"));
}

#[test]
fn openings_may_be_named_instead_of_a_file() {
    let named = |text: &str| parse(&format!("{TWO} {text}")).unwrap().openings.named;
    assert_eq!(named(""), None);
    assert_eq!(named("-openings random plies=8"), Some(NamedStart::Random));
    assert_eq!(named("-openings startpos"), Some(NamedStart::StartPosition));
    let configuration =
        |text: &str| parse(&format!("{TWO} {text}")).unwrap().configuration()["openings"].clone();
    assert_eq!(configuration(""), "random openings of 6 plies");
    assert_eq!(configuration("-openings random plies=8"), "random openings of 8 plies");
    assert_eq!(configuration("-openings startpos"), serde_json::Value::Null, "as it always was");
    assert_eq!(configuration("-variant frc -openings chess960"), serde_json::Value::Null);
    let error = |text: &str| parse(&format!("{TWO} {text}")).unwrap_err().to_string();
    assert!(error("-openings chess960").contains("wants -variant fischerandom"));
    assert!(error("-openings ballots").contains("are of checkers, not of chess"));
    assert!(error("-openings random startpos").contains("one word too many"));
    assert!(error("-openings random plies=0").contains("is -openings startpos"));
    assert!(error("-openings random plies=41").contains("at most 40"));
    assert!(error("-openings plies=4").contains("of a book, file=…, or of -openings random"));
    assert!(error("-openings rndom").contains("or a pair like file=…"));
}

#[test]
fn a_match_recovers_unless_it_is_told_not_to() {
    let recovers = |text: &str| parse(&format!("{TWO} {text}")).unwrap().recover;
    assert!(recovers("") && recovers("-recover") && recovers("-recover on"));
    assert!(!recovers("-recover off"));
}

#[test]
fn slips_are_named_before_any_game() {
    let error = |text: &str| format!("{:#}", parse(text).unwrap_err());
    let with = |text: &str| error(&format!("{TWO} {text}"));
    assert!(
        error("-engine model=chess/material tc=banana -engine model=chess/classic")
            .contains("tc=banana: must be")
    );
    assert_eq!(error("-engne x"), "there is no -engne; did you mean -engine?");
    assert!(error("-engine model=chess/material nodes=1").starts_with("1 contestants; a match takes two"));
    assert!(with("-engine model=chess/clasic").ends_with("did you mean \"chess/classic\"?"));
    assert_eq!(with("-engine model=checkers/material"), "checkers/material plays checkers, not chess");
    assert_eq!(with("-game checkers"), "chess/material plays chess, not checkers");
    assert!(with("-engine model=chess/classic nods=5").contains("did you mean nodes?"));
    assert!(with("-sprt elo0=5 elo1=0").starts_with("-sprt: "));
    assert!(with("-openings file=nowhere.epd").contains("there is no such file"));
    assert!(with("-maxmoves many").contains("\"many\" is not a number"));
    assert_eq!(with("-maxmoves 5 win"), "-maxmoves: \"win\" is not draw or material");
    assert!(with("-tournament gauntled").contains("did you mean \"gauntlet\"?"));
    assert_eq!(with("-recover maybe"), "-recover: \"maybe\" is not on or off");
    assert!(
        error("-engine model=chess/material -engine model=chess/classic")
            .contains("nothing limits its thinking")
    );
}
