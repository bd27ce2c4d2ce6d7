"""Names that there are in the lab of run.sh, for requests that would otherwise only ask for what is not there.

What a value becomes depends on the value alone: schemathesis repeats its requests, and expects them to be the same.
"""

import json
import os
import zlib

import schemathesis

NAMES = json.loads(os.environ["GAMETE_NAMES"])
PLAYERS = [f"{name}{rest}" for name in NAMES["experiments"] for rest in ("", "@0", "@2#1", "@9", "#")]
BODIES = {
    "preset": NAMES["presets"],
    "player": ["chess/material", "checkers/material", *PLAYERS],
    "white": ["human", "chess/material", *PLAYERS],
    "black": ["human", "chess/material", *PLAYERS],
    "move": ["e4", "e5", "Nf3", "e2e4", "11-15", "9-13", "d", "0-0", "--"],
    "game": ["chess", "checkers", "connect-four"],
}


def lot(value):
    return zlib.crc32(repr(value).encode("utf-8", "backslashreplace"))


@schemathesis.hook
def map_path_parameters(ctx, path_parameters):
    """Three of four requests ask for something that there is."""
    kind = (ctx.operation.path.split("/") + ["", ""])[2]
    for key in ("id", "name", "number"):
        known = NAMES.get("number" if key == "number" else kind)
        if path_parameters and known and key in path_parameters:
            drawn = lot(path_parameters[key])
            if drawn % 4:
                path_parameters[key] = known[drawn // 4 % len(known)]
    return path_parameters


@schemathesis.hook
def map_body(ctx, body):
    """The same for presets, players and moves."""
    for key, known in BODIES.items():
        if isinstance(body, dict) and key in body and lot(body[key]) % 4:
            body[key] = known[lot(body[key]) // 4 % len(known)]
    return body


@schemathesis.hook
def map_query(ctx, query):
    """Half of the numbers are small, as those of the generations there are."""
    for key in ("generation", "individual", "from", "to", "after", "depth"):
        if query and key in query and lot(query[key]) % 2:
            query[key] = lot(query[key]) // 2 % 5
    if query and "of" in query and lot(query["of"]) % 2:
        query["of"] = PLAYERS[lot(query["of"]) // 2 % len(PLAYERS)]
    return query
