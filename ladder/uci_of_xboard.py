#!/usr/bin/env python3
"""Lets an engine of the xboard protocol play by UCI: uci_of_xboard.py RESERVE PROGRAM [ARGUMENT...].

The engine is told of RESERVE milliseconds less than there are on its clock.

What a match under a clock takes is translated: positions, clocks, time and depth of a move, scores and moves. There are no
options, no analysis and no limit of nodes.
"""

import queue
import re
import subprocess
import sys
import threading

PATIENCE = 5.0


class Engine:
    """The program behind, with the position that it has on its board."""

    def __init__(self, reserve, command):
        self.reserve = reserve
        self.has_level = False
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self.lines = queue.Queue()
        self.features = {}
        self.start, self.moves = None, []
        self.pings = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def line(self, timeout=None):
        """The next line, or none in time; an engine that has ended ends this program."""
        try:
            line = self.lines.get(timeout=timeout)
        except queue.Empty:
            return None
        if line is None:
            sys.exit("the engine has ended")
        return line

    def introduce(self):
        self.send("xboard")
        self.send("protover 2")
        while (line := self.line(PATIENCE)) is not None:
            if line.startswith("feature"):
                for name, value in re.findall(r'(\w+)=("[^"]*"|\S+)', line):
                    self.features[name] = value.strip('"')
                if "done" in self.features and self.features["done"] == "1":
                    break

    def wait(self):
        """Until it has understood all that it was told, if it can say so."""
        if self.features.get("ping") != "1":
            return
        self.pings += 1
        self.send(f"ping {self.pings}")
        while (line := self.line(PATIENCE)) is not None:
            if line == f"pong {self.pings}":
                return

    def set_position(self, start, moves):
        if start != self.start or moves[: len(self.moves)] != self.moves:
            self.send("new")
            self.send("force")
            self.send("post")
            if start != "startpos":
                self.send(f"setboard {start}")
            self.start, self.moves, self.has_level = start, [], False
        self.send("force")
        prefix = "usermove " if self.features.get("usermove") == "1" else ""
        for move in moves[len(self.moves) :]:
            self.send(prefix + move)
        self.moves = list(moves)

    def go(self, words, white):
        values = {}
        for name, value in zip(words, words[1:]):
            if value.lstrip("-").isdigit():
                values[name] = int(value)
        ours, theirs = ("wtime", "btime") if white else ("btime", "wtime")
        if "depth" in values:
            self.send(f"sd {values['depth']}")
        if "movetime" in values:
            self.send(f"st {max(values['movetime'] // 1000, 1)}")
        if ours in values:
            if not self.has_level:
                seconds = max(values[ours] // 1000, 1)
                increment = values.get(ours[0] + "inc", 0) // 1000
                moves = values.get("movestogo", 0)
                self.send(f"level {moves} {seconds // 60}:{seconds % 60:02} {increment}")
                self.has_level = True
            self.send(f"time {max((values[ours] - self.reserve) // 10, 1)}")
            self.send(f"otim {max(values.get(theirs, 0) // 10, 1)}")
        self.send("go")


def think(engine, white, stopped):
    """Waits for the move, and says what the engine says on the way."""
    while True:
        line = engine.line(0.005)
        if line is None:
            if stopped.is_set():
                stopped.clear()
                engine.send("?")
            continue
        move = re.match(r"(?:my )?move(?: is)?:? +(\S+)", line, re.IGNORECASE)
        if move:
            text = in_uci(move[1], white)
            engine.moves.append(text)
            return text
        thought = re.match(r"(\d+)\S? +(-?\d+) +(\d+) +(\d+)\b", line)
        if thought:
            depth, score, hundredths, nodes = map(int, thought.groups())
            if depth > 0:
                say(f"info depth {depth} score cp {score} time {hundredths * 10} nodes {nodes}")
        elif line.startswith(("1-0", "0-1", "1/2-1/2", "resign", "Illegal move", "Error")):
            say(f"info string {line}")
            if not line.startswith(("Error", "Illegal")):
                continue
            return "0000"


def in_uci(move, white):
    """A move of xboard, which may name castling by its sign."""
    rank = "1" if white else "8"
    castling = {"o-o": f"e{rank}g{rank}", "o-o-o": f"e{rank}c{rank}"}
    move = move.lower().replace("0", "o").replace("=", "")
    return castling.get(move, move)


def say(line):
    print(line, flush=True)


def position(words):
    """Where a game starts, and its moves."""
    moves = words[words.index("moves") + 1 :] if "moves" in words else []
    start = words[1 : words.index("moves")] if "moves" in words else words[1:]
    return ("startpos" if start[:1] == ["startpos"] else " ".join(start[1:])), moves


def white_moves(start, moves):
    black_starts = start != "startpos" and start.split()[1] == "b"
    return (len(moves) % 2 == 1) == black_starts


def main():
    engine = Engine(int(sys.argv[1]), sys.argv[2:])
    inputs, stopped = queue.Queue(), threading.Event()

    def listen():
        for line in sys.stdin:
            stopped.set() if line.strip() == "stop" else inputs.put(line.split())
        inputs.put(["quit"])

    threading.Thread(target=listen, daemon=True).start()
    start, moves = "startpos", []
    while True:
        words = inputs.get()
        match words[:1]:
            case ["uci"]:
                engine.introduce()
                say(f"id name {engine.features.get('myname', sys.argv[2])}")
                say("uciok")
            case ["isready"]:
                engine.wait()
                say("readyok")
            case ["ucinewgame"]:
                engine.start = None
            case ["position"]:
                start, moves = position(words)
            case ["go"]:
                stopped.clear()
                engine.set_position(start, moves)
                white = white_moves(start, moves)
                engine.go(words, white)
                say(f"bestmove {think(engine, white, stopped)}")
            case ["quit"]:
                engine.send("quit")
                try:
                    engine.process.wait(1)
                except subprocess.TimeoutExpired:
                    engine.process.kill()
                return


if __name__ == "__main__":
    main()
