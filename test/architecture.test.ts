import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  consoleFiles,
  layerFiles,
  layers,
  listFiles,
  listWritten,
  productFiles,
  readLines,
  readSource,
} from "./sources.ts";

/** `services/parser/formats/json.ts` belongs to the slice `services/parser`. */
function sliceOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

function isPort(path: string): boolean {
  const [layer, kind, file] = path.split("/");
  return layer === "store" && file === `${kind}.ts`;
}

/** A front file is named as its folder, such as `services/parser/file/file.ts`. */
function isFront(path: string): boolean {
  const [folder, file] = path.split("/").slice(-2);
  return file === `${folder}.ts`;
}

/** The ports of a service are its front files and the files of these names. */
function isServicePort(path: string): boolean {
  return path.startsWith("services/") && (isFront(path) || /\/(?:ports|source|engine)\.ts$/.test(path));
}

/** What `cmd/config` checks settings with, besides the `config.ts` of services. */
const settings: ReadonlySet<string> = new Set([
  "gateway/limits.ts",
  "gateway/sites/host.ts",
  "services/parser/check/names.ts",
  "services/webhook/delivery/routing.ts",
  "services/webhook/receive/push-ids.ts",
]);

function commandMayImport(from: string, to: string): boolean {
  if (/^(?:base|gen)\//.test(to) || sliceOf(from) === "cmd/serve") return true;
  if (to.startsWith("cmd/")) return mayImportCommand(from, to);
  if (/^(?:services|store)\//.test(to) && (isFront(to) || to.endsWith("/config.ts"))) return true;
  return sliceOf(from) === "cmd/config" && settings.has(to);
}

function mayImportCommand(from: string, to: string): boolean {
  const isProgram = from.split("/").length === 2;
  // The demo shows what the other commands print.
  const isShown = sliceOf(from) === "cmd/demo" && sliceOf(to) === "cmd/query";
  const isShared = /^cmd\/(?:arguments\.ts$|(?:client|config|serve|terminal)\/)/.test(to);
  return isProgram || isShown || isShared || sliceOf(from) === sliceOf(to);
}

/** What a store needs to refuse transactions of a process whose lease is lost. */
const fences: ReadonlySet<string> = new Set(["store/leases/fence.ts", "store/leases/leases.ts"]);

/**
 * The architecture, as rules over the import statements: `base/` holds what every
 * layer may use, the gateway knows no service, a service knows neither the gateway
 * nor another service, `services/bridges` joins services through their ports, stores
 * import only what drives their SQL (`store/sql`) and what fences it, and `cmd/serve`
 * alone connects them. The other commands use what has a front file. The console is a
 * client like any other: it imports generated code, and no layer imports it.
 */
const mayImport: Record<string, (from: string, to: string) => boolean> = {
  gen: (_from, to) => to.startsWith("gen/"),
  base: (_from, to) => /^(?:base|gen)\//.test(to),
  gateway: (_from, to) => /^(?:base|gateway|gen)\//.test(to),
  services: (from, to) =>
    /^(?:base|gen)\//.test(to) ||
    sliceOf(from) === sliceOf(to) ||
    isPort(to) ||
    (sliceOf(from) === "services/bridges" && isServicePort(to)),
  store: (from, to) =>
    /^(?:base|gen|store\/sql)\//.test(to) || sliceOf(from) === sliceOf(to) || fences.has(to),
  cmd: commandMayImport,
};

describe("layers", () => {
  it.each(layers)("%s imports only what its layer may", (layer) => {
    const offences = layerFiles
      .filter((file) => file.path.startsWith(`${layer}/`))
      .flatMap((file) =>
        file.imports
          .filter((to) => !mayImport[layer]?.(file.path, to))
          .map((to) => `${file.path} imports ${to}`),
      );
    expect(offences).toEqual([]);
  });

  it("the gateway names no service of the product", () => {
    const named = /gen\/(?:proto|plugin|engage\/(?!gateway\/))/;
    expect(
      productFiles.filter(
        (file) => file.path.startsWith("gateway/") && file.imports.some((to) => named.test(to)),
      ),
    ).toEqual([]);
  });

  it("generated code needs only the protobuf runtime", () => {
    const packages = new Set(
      layerFiles.filter((file) => file.path.startsWith("gen/")).flatMap((file) => file.packages),
    );
    expect([...packages].filter((name) => !name.startsWith("@bufbuild/protobuf"))).toEqual([]);
  });

  it("the console imports its own files and generated code", () => {
    const offences = consoleFiles.flatMap((file) =>
      file.imports
        .filter((to) => !/^(?:gen|console\/src)\//.test(to))
        .map((to) => `${file.path} imports ${to}`),
    );
    expect(offences).toEqual([]);
    expect(consoleFiles.some((file) => file.imports.some((to) => to.startsWith("gen/")))).toBe(true);
  });

  it("the console uses its own packages and those of generated code", () => {
    const { dependencies } = JSON.parse(readFileSync("console/package.json", "utf8")) as {
      dependencies: Record<string, string>;
    };
    const allowed = [...Object.keys(dependencies), "@bufbuild/protobuf", "@connectrpc/connect"];
    const isAllowed = (name: string) => allowed.some((one) => name === one || name.startsWith(`${one}/`));
    const packages = new Set(consoleFiles.flatMap((file) => file.packages));
    expect([...packages].filter((name) => !isAllowed(name))).toEqual([]);
  });

  it("tests and benches run what the console does without its packages", () => {
    const own = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, Record<string, string>>;
    const installed = [...Object.keys(own.dependencies ?? {}), ...Object.keys(own.devDependencies ?? {})];
    const isInstalled = (name: string) =>
      name.startsWith("node:") || installed.some((one) => name === one || name.startsWith(`${one}/`));
    const sources = new Map(consoleFiles.map((file) => [file.path, file]));
    const reached = new Set(
      ["test", "bench"]
        .flatMap((folder) => listFiles(folder))
        .flatMap((path) => readSource(path).imports)
        .filter((path) => sources.has(path)),
    );
    // Adding to a set while it is iterated visits what was added.
    for (const path of reached) {
      for (const next of sources.get(path)?.imports ?? []) if (sources.has(next)) reached.add(next);
    }
    const offences = [...reached].flatMap((path) =>
      (sources.get(path)?.packages ?? [])
        .filter((name) => !isInstalled(name))
        .map((name) => `${path} imports ${name}`),
    );
    expect(offences).toEqual([]);
    expect(reached.has("console/src/rpc/collect-page.ts")).toBe(true);
  });

  it("has no import cycles", () => {
    expect(findCycles(new Map(productFiles.map((file) => [file.path, file.imports])))).toEqual([]);
  });

  it("finds a cycle when there is one", () => {
    expect(
      findCycles(
        new Map([
          ["a", ["b"]],
          ["b", ["c"]],
          ["c", ["a"]],
        ]),
      ),
    ).toEqual(["a > b > c > a"]);
  });
});

describe("rules", () => {
  it.each([
    ["cmd/query/query.ts", "services/parser/line/line.ts", true],
    ["cmd/query/query.ts", "services/parser/line/window.ts", false],
    ["cmd/query/query.ts", "gateway/auth.ts", false],
    ["cmd/query/query.ts", "cmd/terminal/table.ts", true],
    ["cmd/query/query.ts", "cmd/task/read-task.ts", false],
    ["cmd/serve/parser.ts", "services/parser/line/window.ts", true],
    ["cmd/config/schema/schema.ts", "gateway/limits.ts", true],
    ["services/bridges/a.ts", "services/channel/ports.ts", true],
    ["services/bridges/a.ts", "services/channel/watch.ts", false],
    ["services/event/event.ts", "services/channel/ports.ts", false],
    ["base/text/quote.ts", "store/events/events.ts", false],
    ["store/intake/intake.ts", "store/leases/fence.ts", true],
    ["store/intake/intake.ts", "store/leases/postgres/open.ts", false],
    ["store/intake/intake.ts", "store/records/records.ts", false],
  ])("%s imports %s: %s", (from, to, isAllowed) => {
    expect(mayImport[from.split("/")[0]!]?.(from, to)).toBe(isAllowed);
  });
});

describe("conventions", () => {
  it("only the configuration reads the environment", () => {
    const readers = productFiles
      .filter((file) => /\bprocess\.env\b/.test(file.text))
      .map((file) => file.path);
    expect(readers.filter((path) => !path.startsWith("cmd/config"))).toEqual([]);
  });

  it("has no folder or file named for nothing in particular", () => {
    const vague = /(?:^|\/)(?:utils?|common|helpers?|types|misc|index)(?:\/|\.tsx?$)/;
    expect(productFiles.map((file) => file.path).filter((path) => vague.test(path))).toEqual([]);
  });

  it("keeps folders to 20 files beside their subfolders", () => {
    const folders = Map.groupBy(productFiles, ({ path }) => dirname(path));
    const large = [...folders].filter(([, inside]) => inside.length > 20);
    expect(large.map(([folder, inside]) => `${folder}: ${inside.length}`)).toEqual([]);
  });

  /** Each of their files is a subject of its own. */
  const lists: readonly string[] = ["base/async", "base/text", "console/src/controls"];

  it("starts a folder of more than ten files with a file of its name", () => {
    const folders = Map.groupBy(productFiles, ({ path }) => dirname(path));
    const large = [...folders].filter(([folder, inside]) => inside.length > 10 && !lists.includes(folder));
    const first = ([folder]: [string, unknown]): string => join(folder, basename(folder));
    const isThere = (path: string) => productFiles.some((file) => file.path.replace(/\.tsx?$/, "") === path);
    expect(large.map(first).filter((path) => !isThere(path))).toEqual([]);
  });

  it("has each folder of a layer in the map of README", () => {
    const map = readFileSync("README.md", "utf8");
    const folders = ["base", "gateway", "services", "store"].flatMap((layer) =>
      readdirSync(layer, { withFileTypes: true }).filter((entry) => entry.isDirectory()),
    );
    expect(folders.map(({ name }) => name).filter((name) => !map.includes(`\n  ${name}/ `))).toEqual([]);
  });

  it("lists each decision by its title, and keeps it to 45 lines", () => {
    const folder = "docs/decisions";
    const pages = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));
    const lines = (name: string) => readLines(join(folder, name));
    const list = lines("README.md").filter((line) => line.startsWith("- ["));
    expect(list.sort()).toEqual(pages.map((name) => `- [${lines(name)[0]?.slice(2)}](${name})`).sort());
    expect(pages.filter((name) => lines(name).length > 45)).toEqual([]);
  });

  it("keeps files to 300 lines, those of tests and scripts too", () => {
    const paths = listWritten("ts", "tsx", "cjs", "sh");
    expect(paths.filter((path) => readLines(path).length > 300)).toEqual([]);
  });

  it("keeps half of the files to 80 lines of code", () => {
    const sizes = productFiles.map((file) => file.codeLines).sort((a, b) => a - b);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(80);
  });

  it("keeps lines of comments to 120 characters, those of tests and scripts too", () => {
    const long = listWritten("ts", "tsx", "cjs", "sh", "yaml").flatMap((path) =>
      readLines(path).flatMap((line, at) =>
        comment.test(line) && line.length > 120 ? [`${path}:${at + 1}`] : [],
      ),
    );
    expect(long).toEqual([]);
  });
});

const comment = /^\s*(?:\/\/|\/\*\*|\*|#) /;

/** Searches depth first; reports each cycle once, from its first file on. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) cycles.push([...trail.slice(at), path].join(" > "));
    if (at >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return cycles;
}
