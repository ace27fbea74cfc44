import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../../../cmd/config/config.ts";
import type { ConfigError } from "../../../../cmd/config/problem.ts";
import { marksOf, storesOf } from "../../../../cmd/serve/backup/places.ts";
import { folderWith, linesOf } from "../load.ts";

const inbox = (file: string): string => `inbox: { file: ${file} }`;
const channels = (file: string): string => `channel: { store: { file: ${file} } }`;
const target = (name: string, path: string): string => `${name}: { kind: file, path: ${path} }`;
const targets = (...list: readonly string[]): string => `targets: { ${list.join(", ")} }`;
const reader = (name: string, list: string): string =>
  `${name}: { secrets: [{ value: secret-of-${name} }], pushId: { list: ${list} } }`;
const webhook = (...parts: readonly string[]): string => `webhook: { ${parts.join(", ")} }`;
const lines = (...parts: readonly string[]): string => parts.join("\n");

const deadLetters = (of: "events" | "parser", file: string): string =>
  `${of}: { deadLetters: { file: ${file} } }`;
const secret = (file: string): string =>
  `analysis: { tokens: [{ name: n, projects: "*", token: { file: ${file} } }] }`;

/**
 * A folder with files, a folder in another one, links to them, a link to a file that does not exist, and links to each
 * other.
 */
function folder(text: string): string {
  const files = { "engage.yaml": text, "read.txt": "", "existing.db": "", "secret.txt": "a-long-secret" };
  const path = folderWith(files, onTestFinished);
  mkdirSync(join(path, "inner", "real"), { recursive: true });
  symlinkSync("inner/real", join(path, "linked"));
  symlinkSync("existing.db", join(path, "existing-link.db"));
  symlinkSync("../new.db", join(path, "inner", "real", "new-link.db"));
  symlinkSync("loop-b", join(path, "loop-a"));
  symlinkSync("loop-a", join(path, "loop-b"));
  symlinkSync("loop-inside/x", join(path, "loop-inside"));
  return path;
}

function problemsIn(cwd: string): readonly string[] {
  try {
    loadConfig({ env: {}, cwd });
    return [];
  } catch (error) {
    return linesOf((error as ConfigError).problems).map((line) => line.replaceAll(`${cwd}/`, ""));
  }
}

const inboxSetting = "webhook.inbox.file";

describe("a file of two settings is refused", () => {
  test.each<[what: string, text: string, line: string]>([
    [
      "the stores of webhooks and of channels",
      lines(webhook(inbox("one.db")), channels("one.db")),
      `engage.yaml:2:27: channel.store.file: is the file "one.db", which ${inboxSetting} is too: choose another one`,
    ],
    [
      "a store and the default of another",
      webhook(inbox("data/channels/channels.db")),
      `engage.yaml:1:27: ${inboxSetting}: is the file "data/channels/channels.db", which channel.store.file, by default, is too: choose another one`,
    ],
    [
      "an existing file and a link to it",
      lines(webhook(inbox("existing.db")), channels("existing-link.db")),
      `channel.store.file: is the file "existing-link.db", which ${inboxSetting} is too`,
    ],
    [
      "a file that does not exist, through a link to its folder",
      lines(webhook(inbox("linked/deep/one.db")), channels("./inner/../inner/real/deep/one.db")),
      `channel.store.file: is the file "inner/real/deep/one.db", which ${inboxSetting} is too`,
    ],
    [
      "a file that does not exist, and a link to it",
      lines(webhook(inbox("linked/new-link.db")), channels("inner/new.db")),
      `channel.store.file: is the file "inner/new.db", which ${inboxSetting} is too`,
    ],
    [
      "the dead letters of events and of lines",
      "events: { deadLetters: { file: letters } }\nparser: { deadLetters: { file: ./letters } }",
      'parser.deadLetters.file: is the file "data/letters", which events.deadLetters.file is too',
    ],
    [
      "dead letters and a target",
      webhook(targets(target("t", "data/deadletters/events.ndjson"))),
      'webhook.targets.t.path: is the file "data/deadletters/events.ndjson", which events.deadLetters.file is too',
    ],
    [
      "a target and what is read",
      webhook(targets(target("t", "read.txt")), `channels: { ${reader("c", "read.txt")} }`),
      'webhook.channels.c.pushId.list: is the file "read.txt", which webhook.targets.t.path is too',
    ],
    [
      "dead letters and rotated ones",
      lines(deadLetters("events", "d/x"), deadLetters("parser", "d/x.12")),
      'parser.deadLetters.file: is the file "data/d/x.12", which events.deadLetters.file uses too: choose another one',
    ],
    [
      "dead letters whose file is a link, and rotated ones",
      lines(deadLetters("events", "../existing-link.db"), deadLetters("parser", "../existing-link.db.1")),
      'parser.deadLetters.file: is the file "existing-link.db.1", which events.deadLetters.file uses too',
    ],
    [
      "the log of a store, by default, and a target",
      webhook(targets(target("t", "data/inbox/inbox.db-shm"))),
      'webhook.targets.t.path: is the file "data/inbox/inbox.db-shm", which webhook.inbox.file, by default, uses too',
    ],
    [
      "the log of a store that is a link, and a target",
      webhook(inbox("existing-link.db"), targets(target("t", "existing.db-wal"))),
      'webhook.targets.t.path: is the file "existing.db-wal", which webhook.inbox.file uses too',
    ],
    [
      "a target and the configuration",
      webhook(targets(target("t", "inner/../engage.yaml"))),
      'webhook.targets.t.path: is the file "engage.yaml", which is the configuration file: choose another one',
    ],
    [
      "a store and a secret",
      lines(secret("secret.txt"), webhook(inbox("secret.txt"))),
      'webhook.inbox.file: is the file "secret.txt", which analysis.tokens[0].token is too: choose another one',
    ],
  ])("%s", (_what, text, line) => {
    expect(problemsIn(folder(text))).toEqual([expect.stringContaining(line)]);
  });
});

test.each([
  "tokens.json",
  "tokens.json.lock",
  "events/intake.db",
  "events/intake.db-shm",
  "events/spool/000000000001.ndjson",
  "clicks/dead-letters.ndjson.2",
  "savedqueries/savedqueries.db",
])("the server's own file %s is refused", (name) => {
  expect(problemsIn(folder(webhook(targets(target("t", `data/${name}`)))))).toEqual([
    expect.stringContaining(
      `webhook.targets.t.path: is the file "data/${name}", which the server writes itself: choose another one`,
    ),
  ]);
});

test("every file that a backup copies from the data folder is refused for a target", () => {
  const cwd = folder("");
  const { config } = loadConfig({ env: {}, cwd });
  const files = [...storesOf(config), ...marksOf(config)].map(({ folder, name }) =>
    join(folder, name || "000000000001.ndjson"),
  );
  writeFileSync(
    join(cwd, "engage.yaml"),
    webhook(targets(...files.map((file, at) => target(`t${at}`, file)))),
  );
  const refused = problemsIn(cwd).map((line) => /targets\.(\w+)\.path: is the file/.exec(line)?.[1]);
  expect(refused).toEqual(files.map((_, at) => `t${at}`));
});

test.each([
  ["stores of their own", lines(webhook(inbox("inbox.db")), channels("channels.db"))],
  [
    "files whose names only begin alike",
    lines(deadLetters("events", "d/x"), deadLetters("parser", "d/x.old")),
  ],
  ["a file beside the server's own", webhook(targets(target("t", "data/events/sent.ndjson")))],
  ["devices", webhook(targets(target("t", "/dev/null")), `channels: { ${reader("c", "/dev/null")} }`)],
  ["links in a loop", lines(webhook(inbox("loop-a")), channels("loop-inside/x"))],
  [
    "the places of stores that are in a database",
    webhook(
      `inbox: { driver: postgres, url: "postgresql://u:p@127.0.0.1/d" }`,
      targets(target("a", "data/inbox/inbox.db"), target("b", "data/channels/channels.db")),
    ),
  ],
  ["two targets that append to one file", webhook(targets(target("a", "one"), target("b", "linked/../one")))],
  [
    "two settings that read one file",
    webhook(`channels: { ${reader("a", "read.txt")}, ${reader("b", "read.txt")} }`),
  ],
])("%s are accepted", (_what, text) => {
  expect(problemsIn(folder(text))).toEqual([]);
});
