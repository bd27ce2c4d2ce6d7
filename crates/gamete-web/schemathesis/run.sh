#!/bin/sh
# Requests that nobody of good will sends, made by schemathesis from the OpenAPI description, to a server with something of everything:
# an experiment, a study, a match, games on the page. Fails if one is answered with a status of 500 or above, or if the
# server is not well afterwards.
#
#   MINUTES=10 GAMETE=target/release/gamete crates/gamete-web/schemathesis/run.sh      (pip install schemathesis)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
gamete=$(realpath "${GAMETE:-target/release/gamete}")
minutes=${MINUTES:-10}
lab=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$lab"' EXIT
small="--set generations=3 --set population=4 --set limits=depth=1 --set max_moves=10"
"$gamete" evolve kendall-whitwell --lab "$lab" $small --seed 1 --verify 1 >/dev/null 2>&1
"$gamete" evolve mutation-study --lab "$lab" $small --seed 2 --verify 0 >/dev/null 2>&1
"$gamete" match -engine model=chess/material name=A -engine model=chess/classic name=B -each nodes=20 -rounds 2 \
	-pgnout "$lab/games.pgn" >/dev/null 2>&1
cp "$lab"/games.pgn.db "$lab/match.db"
"$gamete" serve --lab "$lab" --listen 127.0.0.1:0 >"$lab/address" 2>/dev/null &
server=$!
while ! grep -qs http "$lab/address"; do sleep 0.1; done
address=$(sed 's,/$,,' "$lab/address")
post() { curl -sf -H 'Content-Type: application/json' -d "$2" "$address$1"; }
id() { sed 's/.*"id":"\([0-9a-f]*\)".*/\1/'; }
experiments=$(curl -sf "$address/api/experiments" | python3 -c 'import json, sys; print(json.dumps([e["id"] for e in json.load(sys.stdin)["experiments"]]))')
export PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1
cd "$lab"
until=$(($(date +%s) + 60 * minutes))
seed=1
while test "$(date +%s)" -lt "$until"; do
	# A round may delete them.
	chess=$(post /api/play '{"game":"chess"}' | id)
	checkers=$(post /api/play '{"game":"checkers","black":"checkers/material","limit":{"depth":1}}' | id)
	watched=$(post /api/play '{"game":"connect-four","white":"connect-four/lines","black":"connect-four/lines","limit":{"depth":1}}' | id)
	GAMETE_NAMES="{\"experiments\": $experiments, \"play\": [\"$chess\", \"$checkers\", \"$watched\"], \"matches\": [\"match.db\", \"games.pgn.db\"],
		\"presets\": [\"kendall-whitwell\", \"weights-then-search\", \"mutation-study\"], \"number\": [1, 2, 3]}"
	export GAMETE_NAMES SCHEMATHESIS_HOOKS=hooks
	# Event streams do not end.
	schemathesis run "$address/api/openapi.json" --exclude-path-regex '/events$' --checks not_a_server_error --seed $seed \
		--max-examples 50 --request-timeout 70 --workers 2 --no-color
	seed=$((seed + 1))
done
curl -sf "$address/api/experiments" >/dev/null
kill -0 "$server"
echo "no answer of 500 or above in $minutes minutes and $((seed - 1)) rounds"
