"use strict";

// Values with the pawn as 100, or as they are.
for (const button of document.querySelectorAll(".switch button")) {
  button.addEventListener("click", () => {
    const unit = button.dataset.unit;
    document.documentElement.dataset.unit = unit;
    for (const other of document.querySelectorAll(".switch button")) {
      other.setAttribute("aria-pressed", String(other.dataset.unit === unit));
    }
  });
}

// Boards of weights, to step through by generation.
for (const player of document.querySelectorAll(".boards-player")) {
  const { largest, frames } = JSON.parse(player.querySelector(".frames").textContent);
  const find = (selector) => player.querySelector(selector);
  const boards = [...player.querySelectorAll("figure")].map((figure) => ({
    white: figure.querySelector(".white") !== null,
    squares: [...figure.querySelectorAll("g")].map((group) => ({
      color: group.querySelectorAll("rect")[1],
      text: group.querySelector(".value"),
    })),
  }));
  const slider = find("input");
  const play = find(".play");
  const last = frames.length - 1;
  const state = { frame: last, owner: false, timer: null };

  // What White sees on a square is on the board the square opposite, with the other sign.
  function seen(texts, square) {
    const text = texts[31 - square];
    if (text === "" || !/[1-9]/.test(text)) return text;
    return text.startsWith("−") ? text.slice(1) : `−${text}`;
  }

  function render() {
    const { generation, boards: written } = frames[state.frame];
    boards.forEach(({ white, squares }, board) => {
      const texts = written[board].split(",");
      squares.forEach(({ color, text }, square) => {
        text.textContent = white && state.owner ? seen(texts, square) : texts[square];
        const value = Number(text.textContent.replaceAll("−", "-"));
        const empty = text.textContent === "";
        color.setAttribute("class", empty ? "none" : value < 0 ? "minus" : "plus");
        const strength = largest > 0 ? Math.min(Math.abs(value) / largest, 1) : 0;
        color.setAttribute("fill-opacity", empty ? 1 : strength.toFixed(3));
      });
    });
    const place = state.frame === last ? ", the last" : state.frame === 0 ? ", the first" : "";
    const words = `generation ${generation}${place}`;
    find("output").textContent = words;
    slider.value = state.frame;
    slider.setAttribute("aria-valuetext", words);
    play.textContent = state.timer === null ? "play" : "pause";
  }

  function go(frame) {
    state.frame = Math.min(Math.max(frame, 0), last);
    render();
  }

  function pause() {
    clearInterval(state.timer);
    state.timer = null;
    render();
  }

  function start() {
    // Who asked for less motion sees one board a second.
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (state.frame === last) state.frame = 0;
    state.timer = setInterval(() => {
      go(state.frame + 1);
      if (state.frame === last) pause();
    }, calm ? 1000 : 120);
    render();
  }

  slider.addEventListener("input", () => {
    if (state.timer !== null) pause();
    go(Number(slider.value));
  });
  play.addEventListener("click", () => (state.timer === null ? start() : pause()));
  find(".owner")?.addEventListener("click", (event) => {
    state.owner = !state.owner;
    event.currentTarget.setAttribute("aria-pressed", String(state.owner));
    render();
  });
  // The slider knows these keys by itself; its buttons leave them to it.
  const keys = { ArrowLeft: () => state.frame - 1, ArrowRight: () => state.frame + 1, Home: () => 0, End: () => last };
  player.addEventListener("keydown", (event) => {
    const to = keys[event.key];
    if (!to || event.target === slider || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (state.timer !== null) pause();
    go(to());
  });
  // On paper stands the last generation.
  addEventListener("beforeprint", () => {
    if (state.timer !== null) pause();
    go(last);
  });

  find(".steps").hidden = last === 0;
  find(".turn").hidden = false;
  render();
}

// Games to replay: the first board, and what each move changes.
(() => {
  const viewer = document.getElementById("viewer");
  if (!viewer) return;
  const games = JSON.parse(document.getElementById("replays").textContent);
  const find = (selector) => viewer.querySelector(selector);
  const svg = find(".board");
  const SVG = svg.namespaceURI;
  const state = { game: games[0], boards: [], changed: [], ply: 0, turned: false };

  function load(game) {
    state.game = game;
    state.boards = [[...game.start]];
    state.changed = [[]];
    for (const change of game.changes.split(" ").filter(Boolean)) {
      const board = [...state.boards[state.boards.length - 1]];
      const squares = [];
      for (const [, number, piece] of change.matchAll(/(\d+)(\D)/gu)) {
        board[Number(number)] = piece;
        squares.push(Number(number));
      }
      state.boards.push(board);
      state.changed.push(squares);
    }
    find(".players").textContent = `${game.white} – ${game.black}  ${game.result}`;
    find(".end").textContent = game.end;
    list(game);
    // What is most worth seeing is how it ended.
    go(state.boards.length - 1);
  }

  function list(game) {
    const moves = find(".moves");
    moves.replaceChildren();
    let row = null;
    game.moves.split(" ").filter(Boolean).forEach((text, index) => {
      const turn = index + (game.first ? 0 : 1);
      if (turn % 2 === 0 || row === null) {
        row = document.createElement("span");
        row.append(`${game.number + Math.floor(turn / 2)}.${turn % 2 === 0 ? "" : ".."} `);
        moves.append(row);
      }
      const move = document.createElement("button");
      move.type = "button";
      move.textContent = text;
      move.addEventListener("click", () => go(index + 1));
      row.append(move);
    });
  }

  function draw(name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    svg.append(element);
  }

  function render() {
    svg.replaceChildren();
    const { columns, shades, numbers = [], turns } = state.game;
    const [rowLabels, columnLabels] = [state.game.row_labels, state.game.column_labels];
    const board = state.boards[state.ply];
    const changed = new Set(state.changed[state.ply]);
    const rows = board.length / columns;
    svg.setAttribute("viewBox", `0 0 ${columns * 40} ${rows * 40}`);
    for (let square = 0; square < board.length; square++) {
      const place = state.turned && turns ? board.length - 1 - square : square;
      const [row, column] = [Math.floor(square / columns), square % columns];
      const [x, y] = [(place % columns) * 40, Math.floor(place / columns) * 40];
      const color = changed.has(square) ? "moved" : shades[square] === "x" ? "dark" : "light";
      draw("rect", { class: color, x, y, width: 40, height: 40 });
      if (numbers[square]) draw("text", { x: x + 2, y: y + 8.5 }, String(numbers[square]));
      if (rowLabels.length > 0 && x === 0) draw("text", { x: x + 2, y: y + 8.5 }, rowLabels[row]);
      if (columnLabels.length > 0 && y === (rows - 1) * 40) {
        draw("text", { x: x + 33, y: y + 37.5 }, columnLabels[column]);
      }
      const piece = board[square];
      if (piece !== ".") {
        const kind = piece.toLowerCase();
        const known = document.getElementById(`piece-${kind}`) !== null;
        const owner = piece === kind ? "b" : "w";
        draw("use", { href: `#piece-${known ? kind : "o"}`, class: owner, x, y, width: 40, height: 40 });
        // Pieces without a picture are discs with a letter.
        if (!known) draw("text", { class: `letter ${owner}`, x: x + 20, y: y + 25 }, kind.toUpperCase());
      }
    }
    const moves = find(".moves");
    moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = moves.querySelectorAll("button")[state.ply - 1];
    current?.setAttribute("aria-current", "true");
    // Only the list scrolls, not the page.
    const top = current ? current.offsetTop - moves.clientHeight / 2 : 0;
    moves.scrollTop = Math.max(0, top);
  }

  function go(ply) {
    state.ply = Math.min(Math.max(ply, 0), state.boards.length - 1);
    render();
  }

  const steps = {
    first: () => go(0),
    back: () => go(state.ply - 1),
    on: () => go(state.ply + 1),
    last: () => go(state.boards.length - 1),
    turn: () => { state.turned = !state.turned; render(); },
  };
  for (const button of viewer.querySelectorAll("[data-go]")) {
    button.addEventListener("click", steps[button.dataset.go]);
  }
  find("select").addEventListener("change", (event) => load(games[Number(event.target.value)]));

  const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    const step = keys[event.key];
    const inside = viewer.contains(document.activeElement);
    if (!step || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select, input")) return;
    // The ends of the page are where Home and End lead, unless the board is in use.
    if (!inside && step !== "back" && step !== "on") return;
    event.preventDefault();
    steps[step]();
  });

  load(games[0]);
})();
