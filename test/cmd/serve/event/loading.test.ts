import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderWith } from "../../config/load.ts";
import { settingsOf } from "../../event-server.ts";

/** Node names it so, with `node-` from version 26 on. */
const mainThread = expect.stringMatching(/^(?:node-)?MainThread 0$/);
const script = join(import.meta.dirname, "event-threads.ts");

it.runIf(process.platform === "linux")("what loads has a lower priority than what takes records", () => {
  const engine = { memoryBytes: 268_435_456, niceness: 7 };
  const settings = settingsOf(folderWith({}), { events: { engine, spool: { minFreeBytes: 0 } } });
  const said = execFileSync(process.execPath, [script, folderWith({ "engage.yaml": settings })]);
  const threads = JSON.parse(said.toString()) as readonly string[];
  expect(threads).toEqual(
    expect.arrayContaining([mainThread, "engage-spool 0", "engage-load 7", "libuv-worker 7"]),
  );
});
