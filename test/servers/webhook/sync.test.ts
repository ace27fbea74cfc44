import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { openHttpServer } from "../../services/webhook/targets/http-server.ts";
import { batchOf } from "./batches.ts";
import { configOf } from "./config.ts";
import { openEngage } from "./engage.ts";
import { createSender } from "./senders.ts";
import { openSqliteStore } from "./stores.ts";

const batches = 30;

it("syncs the log between the writing of a batch and its answer", async () => {
  await using store = await openSqliteStore();
  await using target = await openHttpServer();
  const trace = join(store.folder, "trace");
  // Without a target, so that nothing but the batches is written.
  const config = configOf(store, { target, channel: { targets: [] } });
  await using engage = await openEngage(store.folder, config);
  const calls = "trace=fsync,fdatasync,write,writev,pwrite64,sendto,sendmsg";
  const strace = spawn("strace", ["-f", "-y", "-s", "20", "-e", calls, "-o", trace, "-p", `${engage.pid}`]);
  const hasEnded = once(strace, "exit");
  await once(createInterface({ input: strace.stderr }), "line");
  using sender = createSender(engage);
  for (let n = 0; n < batches; n++) {
    expect((await sender.send(batchOf(["a", "b"], `request-${n}`))).status).toBe(200);
  }
  await engage.kill();
  await hasEnded;
  const events = readFileSync(trace, "utf8").split("\n").flatMap(eventOf);
  const answered = events.flatMap((event, i) => (event === "answer" ? [events.slice(0, i)] : []));
  expect(answered).toHaveLength(batches);
  const unsynced = answered.filter((before) => before.lastIndexOf("write") > before.lastIndexOf("sync"));
  expect(unsynced).toEqual([]);
  expect(events.filter((event) => event === "sync").length).toBeGreaterThanOrEqual(batches);
});

function eventOf(line: string): string[] {
  if (/pwrite64\(\d+<[^>]*inbox\.db-wal>/.test(line)) return ["write"];
  if (/(?:fsync|fdatasync)\(\d+<[^>]*inbox\.db-wal>\)\s+= 0/.test(line)) return ["sync"];
  if (/(?:fsync|fdatasync) resumed>.*= 0/.test(line)) return ["sync"];
  return /(?:write|writev|sendto|sendmsg)\(\d+<[^>]*>.*"HTTP\/1\.1 200/.test(line) ? ["answer"] : [];
}
