import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";
import { withoutOptimizing } from "../base/memory/optimized-code.ts";
import { packageRoot } from "../base/package/root.ts";
import { docsFiles, docsFolder, docsNotices, packageFolder } from "../gateway/openapi/docs-files.ts";
import { escapeToAscii } from "./ascii.ts";
import { createChunkNaming } from "./chunks.ts";
import { describeLicences } from "./licences.ts";

/**
 * Builds the package in `dist/`: the program and its threads as a few files, since a start from modules reads a
 * thousand; generated code as modules with types, which other packages import; and the files of the reference page.
 * Names are kept, and each file has a map to its sources, which `node --enable-source-maps` uses.
 */
const dist = join(packageRoot, "dist");

/** Packages that every server loads become part of the files, with those that they import. Others stay packages. */
const bundled: readonly string[] = [
  "@bufbuild/protobuf",
  "@connectrpc/connect",
  "@connectrpc/connect-node",
  "commander",
  "csv-parse",
  "pino",
  "prom-client",
  "re2js",
  "yaml",
  "zod",
];

const layers = ["base", "gateway", "services", "store", "cmd"] as const;

/** The module that serves, which is in a file with what it imports. */
const server = "cmd/serve/serve.ts";

/**
 * Modules whose imports become one file each, without those of an earlier one: what all commands need, what needs the
 * configuration, what parses, and what serves. Otherwise each set of commands that share a module would get a file.
 */
const fronts = Object.fromEntries(
  ["cmd/main.ts", "cmd/config/config.ts", "services/parser/file/file.ts", server].map((front) => [
    basename(front, ".ts"),
    [join(packageRoot, front)],
  ]),
);

/**
 * What the file of the server does first, when all files are loaded: until the server starts, V8 optimizes nothing of
 * what runs often once, such as what reads the descriptors of messages. Other commands load the file too.
 */
const stopOptimizing = `if (process.argv[2] === "serve")
  for (const flag of ${JSON.stringify(withoutOptimizing)}) process.getBuiltinModule("node:v8").setFlagsFromString(flag);`;

/** The modules of threads, which `workerUrl` finds. */
function listWorkers(): string[] {
  return layers.flatMap((layer) =>
    readdirSync(join(packageRoot, layer), { recursive: true, encoding: "utf8" })
      .map((name) => join(layer, name))
      .filter((path) => /[/-]worker\.ts$/.test(path)),
  );
}

/** @param importer undefined for the module that a bundle begins with */
function isExternal(id: string, importer: string | undefined): boolean {
  const isRelative = /^[./]/.test(id);
  const isInPackage = importer?.includes("/node_modules/") ?? false;
  return !isRelative && !isInPackage && !bundled.some((name) => id === name || id.startsWith(`${name}/`));
}

/** Bundles a module with what it imports. What it imports later becomes files in a folder of its name. */
async function bundle(path: string): Promise<OutputChunk[]> {
  const name = path.slice(0, -".ts".length);
  await using built = await rolldown({
    cwd: packageRoot,
    input: { [name]: path },
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    external: (id, importer) => id !== path && isExternal(id, importer),
  });
  const { output } = await built.write({
    dir: dist,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: `${name}/[name].js`,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: createChunkNaming(fronts), debugName: "fronts" }],
    },
    banner: ({ moduleIds }) => (moduleIds.includes(join(packageRoot, server)) ? stopOptimizing : ""),
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  const chunks = output.filter((file) => file.type === "chunk");
  // The bundler writes characters of strings as they are, whatever a plugin has made of them.
  for (const file of chunks.map(({ fileName }) => join(dist, fileName)))
    writeFileSync(file, escapeToAscii(readFileSync(file, "utf8")));
  return chunks;
}

function copyDocs(): void {
  const folder = join(dist, docsFolder);
  mkdirSync(folder);
  for (const name of [...Object.keys(docsFiles), ...docsNotices]) {
    copyFileSync(join(packageFolder(), name), join(folder, name));
  }
}

function emitGenerated(): void {
  const tsc = join(packageRoot, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
    cwd: packageRoot,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("tsc failed");
}

rmSync(dist, { recursive: true, force: true });
emitGenerated();
const chunks: OutputChunk[] = [];
for (const path of ["cmd/engage.ts", ...listWorkers()]) chunks.push(...(await bundle(path)));
copyDocs();
writeFileSync(join(dist, "LICENSES.txt"), describeLicences(chunks.flatMap(({ moduleIds }) => moduleIds)));
