import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../../../cmd/config/config.ts";
import type { ConfigError } from "../../../../cmd/config/problem.ts";
import { folderWith, linesOf } from "../load.ts";

const inbox = (file: string): string => `inbox: { file: ${file} }`;
const channels = (file: string): string => `channel: { store: { file: ${file} } }`;
const target = (name: string, path: string): string => `${name}: { kind: file, path: ${path} }`;
const targets = (...list: readonly string[]): string => `targets: { ${list.join(", ")} }`;
const webhook = (...parts: readonly string[]): string => `webhook: { ${parts.join(", ")} }`;
const lines = (...parts: readonly string[]): string => parts.join("\n");

/** A folder with a file, a folder, a link to each, and a link to a file that does not exist. */
function folder(text: string): string {
  const path = folderWith({ "engage.yaml": text, "read.txt": "", "existing.db": "" }, onTestFinished);
  mkdirSync(join(path, "real"));
  symlinkSync("real", join(path, "linked"));
  symlinkSync("existing.db", join(path, "existing-link.db"));
  symlinkSync("../new.db", join(path, "real", "new-link.db"));
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
      lines(webhook(inbox("linked/deep/one.db")), channels("./real/../real/deep/one.db")),
      `channel.store.file: is the file "real/deep/one.db", which ${inboxSetting} is too`,
    ],
    [
      "a file that does not exist, and a link to it",
      lines(webhook(inbox("linked/new-link.db")), channels("new.db")),
      `channel.store.file: is the file "new.db", which ${inboxSetting} is too`,
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
      webhook(
        targets(target("t", "read.txt")),
        "channels: { c: { secrets: [{ value: secret-of-c }], targets: [t], pushId: { list: read.txt } } }",
      ),
      'webhook.channels.c.pushId.list: is the file "read.txt", which webhook.targets.t.path is too',
    ],
  ])("%s", (_what, text, line) => {
    expect(problemsIn(folder(text))).toEqual([expect.stringContaining(line)]);
  });
});

test.each([
  ["stores of their own", lines(webhook(inbox("inbox.db")), channels("channels.db"))],
  ["two targets that append to one file", webhook(targets(target("a", "one"), target("b", "linked/../one")))],
  [
    "two settings that read one file",
    webhook(
      "channels: { a: { secrets: [{ value: secret-of-a }], pushId: { list: read.txt } }, b: { secrets: [{ value: secret-of-b }], pushId: { list: read.txt } } }",
    ),
  ],
])("%s are accepted", (_what, text) => {
  expect(problemsIn(folder(text))).toEqual([]);
});
