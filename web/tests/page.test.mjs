// The page in a real browser, on a real server over a real lab. `npm test`; GAMETE names the program.
// One process has them all, as a lab and a browser take longer to make than most tests.
import "./world.mjs";
import "./api.mjs";
import "./experiments.mjs";
import "./play.mjs";
import "./games.mjs";
import "./charts.mjs";
import "./matches.mjs";
import "./grid.mjs";
import "./looks.mjs";
import "./safety.mjs";
import "./missing.mjs";
