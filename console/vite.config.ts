import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { createChunkNaming } from "../build/chunks.ts";

/** Smaller files gain a few bytes. */
const compressMinBytes = 128;

/** Writes `NAME.br` beside each file of text, so that the server never compresses them itself. */
function compressFiles(): Plugin {
  return {
    name: "compress-files",
    apply: "build",
    enforce: "post",
    async writeBundle({ dir = "" }, bundle) {
      const names = Object.keys(bundle).filter((name) => /\.(?:css|html|js|svg)$/.test(name));
      await Promise.all(names.map((name) => compressFile(join(dir, name))));
    },
  };
}

async function compressFile(path: string): Promise<void> {
  const body = await readFile(path);
  if (body.length < compressMinBytes) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
  };
  await writeFile(`${path}.br`, brotliCompressSync(body, { params }));
}

const pathOf = (name: string): string => join(import.meta.dirname, name);

/**
 * The files that load first: the small one that loads the others, and the frame with the page at the start. Otherwise
 * they would be twenty, and browsers load six files at a time.
 */
const firstChunkOf = createChunkNaming({
  main: [pathOf("src/main.ts")],
  frame: ["src/app/start.tsx", "src/pages/overview/overview.tsx"].map(pathOf),
});

/** Lets browsers load the frame together with the file that asks for it. */
function preloadFrame(): Plugin {
  return {
    name: "preload-frame",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const names = Object.keys(bundle).filter((name) => /\/(?:frame|rolldown-runtime)-.*\.js$/.test(name));
        return names.map((name) => ({
          tag: "link",
          attrs: { rel: "modulepreload", crossorigin: true, href: `./${name}` },
          injectTo: "head",
        }));
      },
    },
  };
}

/** The server to which `npm run dev` passes calls on. */
const server = "http://127.0.0.1:8080";

export default defineConfig({
  // Relative paths also hold below a path of a proxy.
  base: "./",
  plugins: [preloadFrame(), compressFiles()],
  build: {
    target: ["chrome123", "edge123", "firefox121", "safari17.5"],
    // Data URLs are not in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: firstChunkOf, debugName: "first", includeDependenciesRecursively: false }],
        },
      },
    },
    // Notices of the bundled packages.
    license: { fileName: "licenses.md" },
  },
  server: {
    proxy: {
      // Calls are POST /package.Service/Method.
      "^/[\\w.]+/\\w+$": server,
      "/console/session": server,
    },
  },
});
