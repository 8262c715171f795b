import { defineConfig } from "vite";

// Fixed names and no stamps: the output is committed, and a rebuild must give the same bytes.
export default defineConfig({
  base: "/",
  publicDir: "public",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../assets",
    emptyOutDir: true,
    target: ["chrome123", "firefox121", "safari17.5"],
    cssTarget: ["chrome123", "firefox121", "safari17.5"],
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/index.js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/index.[ext]",
      },
    },
  },
});
