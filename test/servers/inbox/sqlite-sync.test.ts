import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** System calls of a process that accepts batches one after the other: what it writes, syncs and acknowledges. */
async function traceAcceptLoop(batches: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "sync-"));
  const trace = join(folder, "trace");
  const script = join(import.meta.dirname, "../../store/inbox/sqlite/accept-loop.ts");
  const options = ["-f", "-q", "-y", "-s", "16", "-e", "trace=fsync,fdatasync,write,pwrite64", "-o", trace];
  const command = [process.execPath, script, join(folder, "inbox.db"), "run", "1", `${batches}`];
  await promisify(execFile)("strace", [...options, ...command]);
  const lines = readFileSync(trace, "utf8").split("\n");
  rmSync(folder, { recursive: true });
  return lines;
}

it("syncs the log at least once between the writing of a batch and its acknowledgement", async () => {
  const lines = await traceAcceptLoop(30);
  const events = lines.flatMap((line) => {
    if (/pwrite64\(\d+<[^>]*inbox\.db-wal>/.test(line)) return ["write"];
    if (/(?:fsync|fdatasync)\(\d+<[^>]*inbox\.db-wal>\)\s+= 0/.test(line)) return ["sync"];
    if (/(?:fsync|fdatasync) resumed>.*= 0/.test(line)) return ["sync"];
    return /write\(1<[^>]*>, "run-/.test(line) ? ["acknowledge"] : [];
  });
  const acknowledged = events.flatMap((event, i) => (event === "acknowledge" ? [events.slice(0, i)] : []));
  expect(acknowledged).toHaveLength(30);
  // With one sender, all that was written before an acknowledgement has been synced by then.
  const unsynced = acknowledged.filter((before) => before.lastIndexOf("write") > before.lastIndexOf("sync"));
  expect(unsynced).toEqual([]);
  const syncs = events.filter((event) => event === "sync").length;
  expect(syncs).toBeGreaterThanOrEqual(acknowledged.length);
});
