import { mount } from "svelte";
import "../../crates/gamete-report/src/page.css";
import "@lichess-org/chessground/assets/chessground.base.css";
import "uplot/dist/uPlot.min.css";
import "virtual:pieces.css";
import "./page.css";
import App from "./App.svelte";

mount(App, { target: document.getElementById("app")! });
