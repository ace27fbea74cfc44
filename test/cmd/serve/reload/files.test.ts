import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../../../../cmd/config/config.ts";
import { changedFiles, keepStamps, stampFiles } from "../../../../cmd/serve/reload/files.ts";
import { folderWith } from "../../config/load.ts";

const settings = `
webhook:
  targets: { pulled: { kind: pull } }
  channels:
    mail: { auth: off, targets: [pulled], pushId: { list: ids.txt } }
    news: { auth: off, targets: [pulled], pushId: { list: more.txt } }
`;
const path = ["webhook", "channels", "mail", "pushId", "list"];

it.each<[string, (file: string) => void, readonly (readonly string[])[]]>([
  ["nothing", () => {}, []],
  ["a longer text", (file) => writeFileSync(file, "a\nb\n"), [path]],
  [
    "another file in its place",
    (file) => {
      writeFileSync(`${file}.new`, "b\n");
      renameSync(`${file}.new`, file);
    },
    [path],
  ],
  ["no file", (file) => rmSync(file), [path]],
])("%s is a change of the setting that names the file, if it is one", (_what, change, changed) => {
  const cwd = folderWith({ "engage.yaml": settings, "ids.txt": "a\n", "more.txt": "a\n" });
  const { config } = loadConfig({ env: {}, cwd });
  const running = stampFiles(config);
  change(join(cwd, "ids.txt"));
  const wanted = stampFiles(config);
  expect(changedFiles(running, wanted, [])).toEqual(changed);
  // Not named twice when the setting has changed itself.
  expect(changedFiles(running, wanted, [["webhook", "channels"]])).toEqual([]);
  // Named again while it is not read again.
  expect(changedFiles(keepStamps(wanted, running, [path]), wanted, [])).toEqual(changed);
  expect(changedFiles(keepStamps(wanted, running, []), wanted, [])).toEqual([]);
});
