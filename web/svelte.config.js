import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

export default {
  preprocess: vitePreprocess(),
  compilerOptions: {
    runes: true,
    // By content and not by path, so that the bundle is the same wherever it is built.
    cssHash: ({ hash, css }) => `s-${hash(css)}`,
  },
};
