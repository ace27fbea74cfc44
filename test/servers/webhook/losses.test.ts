import { execFileSync, spawnSync } from "node:child_process";
import { rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { packageRoot } from "../../../base/package/root.ts";
import { openHttpServer } from "../../services/webhook/targets/http-server.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { batchOf } from "./batches.ts";
import { configOf } from "./config.ts";
import { openEngage, serveCommand } from "./engage.ts";
import { createSender } from "./senders.ts";

const inboxOf = (folder: string): string => join(folder, "inbox", "inbox.db");

const losses: readonly (readonly [what: string, lose: (file: string) => void, words: RegExp])[] = [
  [
    "the inbox is deleted",
    (file) => rmSync(file),
    /inbox file ".*inbox\.db" is missing; it had 20 batches in \d+ commits/,
  ],
  [
    "the end of its log is cut off",
    (file) => truncateSync(`${file}-wal`, statSync(`${file}-wal`).size >> 1),
    /has lost its last \d+ of \d+ commits, among them batches \d+ to 20: restore it with its "-wal" file/,
  ],
  [
    "its log is deleted",
    (file) => rmSync(`${file}-wal`),
    /had 20 batches in \d+ commits, or it has lost its "-wal" file/,
  ],
];

it.each(losses)(
  "doesn't start when %s, says what is missing, and goes on when that is accepted",
  async (_what, lose, words) => {
    await using folder = await openTempFolder();
    const target = await openHttpServer();
    onTestFinished(() => target[Symbol.asyncDispose]());
    const config = configOf({ inbox: {} }, { target });
    await using engage = await openEngage(folder.path, config);
    using sender = createSender(engage);
    for (let batch = 0; batch < 20; batch++) {
      expect((await sender.send(batchOf(["p1"], `r-${batch}`), "/webhook/demo")).status).toBe(200);
    }
    await engage.kill();
    lose(inboxOf(folder.path));
    const [node = "", ...args] = serveCommand;
    const file = join(folder.path, "engage.json");
    const refused = spawnSync(node, [...args, file], { encoding: "utf8", env: {} });
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(refused.stderr).toContain('"engage store accept-loss inbox"');
    expect(refused.stderr).not.toContain("    at ");
    const accept = [join(packageRoot, "cmd/engage.ts"), "store", "accept-loss", "inbox", "--config", file];
    expect(execFileSync(process.execPath, accept, { encoding: "utf8" })).toMatch(/20 batches in \d+ commits/);
    await engage.start();
    expect((await sender.send(batchOf(["p1"], "r-50"), "/webhook/demo")).status).toBe(200);
  },
);
