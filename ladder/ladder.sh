#!/bin/sh
# Plays players against Debian's engines and prints one rating table; `make ladder` sets what it reads from the environment.
#
# Every rung, a player and an engine, is a match with a journal of its own. What was played is not played again: the same
# command resumes, GAMES= makes rungs longer, and more players and engines only add rungs.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
GAMETE=${GAMETE:-gamete}
PLAYER=${PLAYER:-chess/classic}
ENGINES=${ENGINES:-glaurung toga2 gnuchess phalanx ethereal-chess stockfish}
TC=${TC:-2+0.02}
GAMES=${GAMES:-200}
CONCURRENCY=${CONCURRENCY:-$(nproc)}
OPENINGS=${OPENINGS:-}
SEED=${SEED:-1}
STOCKFISH_NODES=${STOCKFISH_NODES:-2000}
LADDER_DIR=${LADDER_DIR:-target/ladder}
ANCHOR=${ANCHOR:-}

fail() {
    echo "ladder: $1" >&2
    exit 1
}

case $GAMES in
'' | *[!0-9]* | 0) fail "GAMES=$GAMES is not a number of games" ;;
esac

test -z "$OPENINGS" || test -f "$OPENINGS" || fail "OPENINGS=$OPENINGS: there is no such file"

program() {
    for folder in /usr/games /usr/bin; do
        test -x "$folder/$1" && echo "$folder/$1" && return
    done
    command -v "$1" || true
}

# The words behind -engine, one a line: an argument may have spaces in it.
engine_words() {
    path=$(program "$1")
    printf '%s\n' "cmd=$path" option.Hash=16
    case $1 in
    # It would think on two threads.
    glaurung) printf '%s\n' option.OwnBook=false option.Threads=1 ;;
    toga2) echo option.OwnBook=false ;;
    gnuchess) printf '%s\n' option.OwnBook=false arg=--uci ;;
    # By itself it keeps 100 ms of every move in reserve, and plays without thinking when a fast game is long.
    ethereal-chess) echo option.MoveOverhead=10 ;;
    stockfish) printf '%s\n' "name=$(name_of_engine stockfish)" "nodes=$STOCKFISH_NODES" ;;
    esac
}

# Phalanx speaks the protocol of xboard alone, and counts its time in hundredths of a second, not exactly. It has no book and
# learns nothing here, and 16 MB of table.
phalanx_words() {
    printf '%s\n' cmd=python3 "arg=$here/uci_of_xboard.py" arg=200 name=phalanx "arg=$(program phalanx)" arg=-b- arg=-l- arg=-t16384
}

known() {
    case $1 in
    glaurung | toga2 | gnuchess | phalanx | ethereal-chess | stockfish) ;;
    *) return 1 ;;
    esac
}

missing=
for name in $ENGINES; do
    known "$name" || fail "ENGINES: there is no $name; there are glaurung, toga2, gnuchess, phalanx, ethereal-chess, stockfish"
    test -n "$(program "$name")" || missing="$missing $name"
done
if test -n "$missing" && command -v apt-get >/dev/null; then
    as_root=$(test "$(id -u)" = 0 || echo sudo)
    # One that cannot be had does not keep the others from being installed.
    $as_root apt-get update -qq || true
    for name in $missing; do
        $as_root apt-get install -y -qq --no-install-recommends "$name" >/dev/null || true
    done
fi

mkdir -p "$LADDER_DIR"
journals=$(mktemp)
trap 'rm -f "$journals"' EXIT
rungs=
for name in $ENGINES; do
    if test -z "$(program "$name")"; then
        echo "ladder: $name is left out: it is not installed, and apt-get cannot install it" >&2
    elif test "$name" = phalanx && ! command -v python3 >/dev/null; then
        echo "ladder: phalanx is left out: it takes python3 to speak UCI" >&2
    else
        rungs="$rungs $name"
    fi
done
test -n "$rungs" || fail "none of the engines is here: $ENGINES"

# What a player is called: by its file, or by its model.
name_of() {
    basename "$1" .toml
}

# What an engine is called in the table.
name_of_engine() {
    test "$1" = stockfish && echo "stockfish-$STOCKFISH_NODES-nodes" || echo "$1"
}

names=
for player in $PLAYER; do
    name=$(name_of "$player")
    case " $names " in
    *" $name "*) fail "PLAYER: two are called $name; rename one of the files" ;;
    esac
    names="$names $name"
done
for engine in $rungs; do
    names="$names $(name_of_engine "$engine")"
done

# The scale begins at Toga, or at the first engine that plays.
if test -z "$ANCHOR"; then
    ANCHOR=$(case " $rungs " in *" toga2 "*) echo toga2 ;; *) set -- $rungs && name_of_engine "$1" ;; esac)
fi
case " $names " in
*" $ANCHOR "*) ;;
*" ${ANCHOR%=*} "*)
    case ${ANCHOR##*=} in
    '' | *[!0-9.+-]*) fail "ANCHOR=$ANCHOR: ${ANCHOR##*=} is not a rating" ;;
    esac
    ;;
*) fail "ANCHOR=$ANCHOR: nobody is called ${ANCHOR%=*}; there are$names" ;;
esac

control=$(echo "$TC" | tr / _)
book=$(test -z "$OPENINGS" || sha256sum <"$OPENINGS" | cut -c 1-8)
for player in $PLAYER; do
    name=$(name_of "$player")
    if test -f "$player"; then
        mark=$(sha256sum <"$player" | cut -c 1-8)
        contestant="player=$player"
    else
        mark=model
        contestant="model=$player"
    fi
    for engine in $rungs; do
        # Another player file, control or book is another match.
        nodes=$(test "$engine" != stockfish || echo "-$STOCKFISH_NODES")
        journal="$LADDER_DIR/$name-$mark-$engine$nodes-$control-$SEED${book:+-$book}.db"
        echo "$journal" >>"$journals"
        echo "ladder: $name against $engine, $journal" >&2
        set -- -engine "$contestant" "name=$name" -engine
        words=$(test "$engine" = phalanx && phalanx_words || engine_words "$engine")
        while IFS= read -r word; do
            set -- "$@" "$word"
        done <<WORDS
$words
WORDS
        test -z "$OPENINGS" || set -- "$@" -openings "file=$OPENINGS" order=random
        "$GAMETE" match "$@" -each "tc=$TC" timemargin=100 -rounds $(((GAMES + 1) / 2)) -games 2 -srand "$SEED" \
            -concurrency "$CONCURRENCY" -ratinginterval 0 -journal "$journal"
    done
done

echo
echo "Ladder: tc=$TC, $GAMES games a rung, seed $SEED, ${OPENINGS:-random openings}, $ANCHOR at 0 unless it says otherwise"
set --
while IFS= read -r journal; do
    set -- "$@" "$journal"
done <"$journals"
"$GAMETE" ratings "$@" --anchor "$ANCHOR"
