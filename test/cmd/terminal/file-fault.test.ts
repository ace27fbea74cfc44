import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { runExport } from "../../../cmd/export/export.ts";
import { runHealth } from "../../../cmd/health/health.ts";
import { runImport } from "../../../cmd/import/import.ts";
import type { ImportOptions } from "../../../cmd/import/target.ts";
import { readQuery } from "../../../cmd/query/file.ts";
import { readTask } from "../../../cmd/task/read-task.ts";
import { UserError } from "../../../cmd/terminal/user-error.ts";
import { folderWith } from "../config/load.ts";
import { settingsOf } from "../event-server.ts";

const signal = new AbortController().signal;
const streams = () => ({ stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough() });

function openPlace() {
  const cwd = folderWith({
    "engage.yaml": settingsOf(folderWith({})),
    "a.csv": "id\nann\n",
    "a.ndjson": "",
    "broken.parquet": "{",
    "long.ndjson": "x".repeat(17 * 1_048_576),
    "broken.csv": 'id\n"a"b\n',
    "plain.gz": "{}\n",
    "broken.yaml": "mapping: {a: [}",
    "number.yaml": "mapping: 3",
    "unknown.yaml": "mappings: {}",
    "type.yaml": "mapping:\n  price: { from: price, type: numbr }",
  });
  mkdirSync(join(cwd, "folder"));
  writeFileSync(join(cwd, "broken.gz"), Buffer.from([0x1f, 0x8b, 8, 98, 97, 100]));
  return { cwd, path: (name: string) => join(cwd, name) };
}

type Place = ReturnType<typeof openPlace>;

const id = { map: ["#account_id=id"] };

describe("import", () => {
  it.each<[file: string, options: (place: Place) => ImportOptions, message: RegExp]>([
    ["gone.ndjson", () => ({}), /^cannot read ".*\/gone\.ndjson": no such file or folder$/],
    ["folder", () => ({}), /^cannot read ".*\/folder": it is a folder, not a file$/],
    [
      "folder",
      () => ({ ...id, format: "parquet" }),
      /^cannot read ".*\/folder": it is a folder, not a file$/,
    ],
    ["broken.gz", () => ({}), /^cannot read ".*\/broken\.gz": unknown header flags set$/],
    ["plain.gz", () => ({}), /^".*\/plain\.gz" is not gzipped, as its name says$/],
    [
      "broken.parquet",
      () => ({ ...id, url: "http://127.0.0.1:1" }),
      /^cannot read ".*\/broken\.parquet": [^\n]+$/,
    ],
    ["long.ndjson", () => ({}), /^cannot read ".*\/long\.ndjson": a line is longer than 16777216 bytes$/],
    ["broken.csv", () => id, /^cannot read ".*\/broken\.csv": Invalid Closing Quote: [^\n]+$/],
    ["broken.parquet", () => id, /^cannot read ".*\/broken\.parquet": [^\n]+$/],
    [
      "a.ndjson",
      ({ path }) => ({ url: "http://a", keyFile: path("gone") }),
      /^cannot read the key file ".*\/gone"/,
    ],
    [
      "a.csv",
      ({ path }) => ({ mapping: path("gone") }),
      /^cannot read the mapping file ".*\/gone": no such file or folder$/,
    ],
    [
      "a.csv",
      ({ path }) => ({ mapping: path("folder") }),
      /^cannot read the mapping file ".*\/folder": it is a folder, not a file$/,
    ],
    ["a.csv", ({ path }) => ({ mapping: path("broken.yaml") }), /\/broken\.yaml:1:15: not valid YAML: /],
    [
      "a.csv",
      ({ path }) => ({ mapping: path("number.yaml") }),
      /\/number\.yaml:1:10: mapping: must be a section of keys, got 3$/,
    ],
    [
      "a.csv",
      ({ path }) => ({ mapping: path("unknown.yaml") }),
      /\/unknown\.yaml:1:1: mappings: unknown key "mappings", the nearest is "mapping"$/,
    ],
    [
      "a.csv",
      ({ path }) => ({ mapping: path("type.yaml") }),
      /\/type\.yaml:2:\d+: mapping\.price\.type: must be "text", .*, got "numbr"$/,
    ],
  ])("names %s and what is wrong with it (%#)", async (file, options, message) => {
    const place = openPlace();
    const settings = { dryRun: true, ...options(place) };
    const run = runImport({ env: {}, cwd: place.cwd }, [place.path(file)], settings, streams(), signal);
    const error = await run.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).message).toMatch(message);
  });
});

describe("other commands", () => {
  it.each<[what: string, run: (place: Place) => Promise<unknown>, message: RegExp]>([
    [
      "an export into a folder",
      ({ cwd, path }) => runExport({ env: {}, cwd }, path("folder"), {}, streams(), signal),
      /^cannot write ".*\/folder": it is a folder, not a file$/,
    ],
    [
      "an export into a folder that is not there",
      ({ cwd, path }) => runExport({ env: {}, cwd }, path("gone/file"), {}, streams(), signal),
      /^cannot write ".*\/gone\/file": no such file or folder$/,
    ],
    [
      "a task that is no YAML",
      ({ path }) => readTask(path("broken.yaml"), {}, Readable.from([])),
      /^".*\/broken\.yaml" is not YAML: [^\n]+$/,
    ],
    [
      "a query that is no JSON",
      ({ path }) => readQuery(path("type.yaml"), {}, Readable.from([])),
      /^".*\/type\.yaml" is not JSON: [^\n]+$/,
    ],
    [
      "a URL of a service",
      ({ cwd }) => runHealth({ env: {}, cwd }, { url: "nonsense", timeout: 1_000 }, streams()),
      /^--url is "nonsense", must be a URL such as /,
    ],
  ])("%s is refused in one line", async (_what, run, message) => {
    const error = await run(openPlace()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).message).toMatch(message);
  });
});
