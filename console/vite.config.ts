import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

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

/** The server to which `npm run dev` passes calls on. */
const server = "http://127.0.0.1:8080";

export default defineConfig({
  // Relative paths also hold below a path of a proxy.
  base: "./",
  plugins: [compressFiles()],
  build: {
    target: ["chrome123", "edge123", "firefox121", "safari17.5"],
    // Data URLs are not in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
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
