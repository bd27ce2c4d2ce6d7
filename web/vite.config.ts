import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { pieces } from "./pieces.ts";

export default defineConfig({
  plugins: [svelte(), pieces()],
  build: {
    outDir: "../crates/gamete-web/dist",
    emptyOutDir: true,
    target: "es2022",
    // The policy of the server forbids inline scripts, and this one only older browsers need.
    modulePreload: { polyfill: false },
    // The licences of what is bundled stand in a file of their own.
    license: { fileName: "licenses.md" },
  },
  server: {
    // `npm run dev` shows the page of this directory with the lab of a running `gamete serve`.
    proxy: { "/api": { target: "http://127.0.0.1:7878", headers: { origin: "http://127.0.0.1:7878" } } },
    fs: { allow: [".."] },
  },
});
