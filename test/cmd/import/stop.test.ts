import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it, vi } from "vitest";
import { formatOf } from "../../../cmd/import/files.ts";
import { runImport } from "../../../cmd/import/import.ts";
import { openMapping } from "../../../cmd/import/mapping.ts";
import { importFiles } from "../../../cmd/import/reading.ts";
import { createImportSummary } from "../../../cmd/import/summary.ts";
import type { ImportTarget } from "../../../cmd/import/target.ts";
import { StoppedError } from "../../../cmd/terminal/user-error.ts";
import { folderWith } from "../config/load.ts";
import { openEventServer, trackOf } from "../event-server.ts";
import { runEngage, startEngage } from "../run-engage.ts";
import { lines, openPlace, run } from "./import-place.ts";

/** The number of rows, which is more than is read at once in each format. */
const rowCount = 3_000;
const pad = "x".repeat(500);
const ids = Array.from({ length: rowCount }, (_, i) => `u${i}`);
const ndjson = ids.map((id) => `${JSON.stringify({ id, pad })}\n`).join("\n");
const slowly = { timeout: 20_000, interval: 5 };
const map = ["#account_id=id", "#type:=track"];

async function formats(): Promise<string> {
  const cwd = folderWith({
    "a.ndjson": ndjson,
    "a.csv": `id,pad\n${ids.map((id) => `${id},"${pad}\n"\n\n`).join("")}`,
  });
  writeFileSync(join(cwd, "a.ndjson.gz"), gzipSync(ndjson));
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT 'u' || i AS id FROM range(${rowCount}) r(i)) TO '${join(cwd, "a.parquet")}' (FORMAT parquet)`,
  );
  instance.closeSync();
  return cwd;
}

type Fake = Pick<ImportTarget, "take" | "finish">;

/** Imports files until the target has all their records. The message says how to continue. */
async function take(
  files: readonly string[],
  skip: number,
  stop: AbortController,
  fake: Fake,
): Promise<{ message: string; said: string }> {
  const { signal } = stop;
  const stderr = new PassThrough();
  const mapping = openMapping({ entries: map });
  const error = await importFiles(files, {
    sourceOf: (file) => ({ format: formatOf(file), mapping, skip: 0, stdin: Readable.from([]), signal }),
    target: { ...fake, whileStopping: "waiting", [Symbol.asyncDispose]: async () => {} },
    summary: createImportSummary("stored"),
    progress: { at() {}, stop() {} },
    writeSummary: () => void stderr.write("told\n"),
    options: { skip },
    streams: { stderr },
    signal,
  }).catch((reason: Error) => reason);
  stderr.end();
  return { message: error?.message ?? "", said: await text(stderr) };
}

const idsOf = (taken: Uint8Array): string[] =>
  [
    ...Buffer.from(taken)
      .toString()
      .matchAll(/"#account_id":"(\w+)"/g),
  ].map(([, id]) => id!);

describe("an import that is stopped", () => {
  it.each(["a.ndjson", "a.ndjson.gz", "a.csv", "a.parquet"])(
    "goes on in %s where it was, and nothing is taken twice",
    async (name) => {
      const cwd = await formats();
      const file = join(cwd, name);
      const taken: string[] = [];
      const stop = new AbortController();
      const first = await take([file, join(cwd, "it's more.csv")], 0, stop, {
        async take(block, kept) {
          taken.push(...idsOf(block));
          kept();
          stop.abort(new StoppedError("stopped"));
        },
        finish: async () => {},
      });
      expect(taken.length).toBeGreaterThan(0);
      expect(taken.length).toBeLessThan(rowCount);
      expect(first.said).toMatch(/^engage: stopping before (line|row) \d+ of ".*"; waiting\ntold\n$/);
      expect(first.message).toMatch(/^stopped before .*--skip \d+ \S+ '.*\/it'\\''s more\.csv'$/);
      const skip = Number(/--skip (\d+)/.exec(first.message)![1]);
      const again: Fake = {
        async take(block) {
          taken.push(...idsOf(block));
        },
        finish: async () => {},
      };
      expect((await take([file], skip, new AbortController(), again)).message).toBe("");
      expect(taken).toEqual(ids);
    },
  );

  it.each(["a.ndjson", "a.csv", "a.parquet"])("refuses to leave out more than %s has", async (name) => {
    const cwd = await formats();
    const none: Fake = { take: () => Promise.reject(new Error("taken")), finish: async () => {} };
    const { message } = await take([join(cwd, name)], 3 * rowCount, new AbortController(), none);
    expect(message).toMatch(/^--skip 9000 is more than ".*" has: \d+ (lines|rows)$/);
  });

  it("says what is unsure when the target is lost", async () => {
    const file = join(await formats(), "a.ndjson");
    let blocks = 0;
    const { message, said } = await take([file], 0, new AbortController(), {
      async take(_block, kept) {
        [kept][blocks++]?.();
      },
      finish: () => Promise.reject(new Error("gone")),
    });
    expect(message).toBe("gone");
    expect(said).toMatch(
      /^told\nengage: ended before line \d+ of .*; what is between it and the end may be stored or not; to go on, .* --skip \d+ \S+\n$/,
    );
  });

  it("tells where a file can't be read further, and stores what came before", async () => {
    const place = openPlace();
    const whole = gzipSync(lines(...ids.map((id) => trackOf(id, { properties: { pad: `${pad}${id}` } }))));
    const file = join(place.cwd, "a.ndjson.gz");
    writeFileSync(file, whole.subarray(0, whole.length - 100));
    let fault: unknown;
    const { err } = await run(async (streams) => {
      const importing = runImport(
        { env: {}, cwd: place.cwd },
        [file],
        {},
        streams,
        new AbortController().signal,
      );
      fault = await importing.catch((error: unknown) => error);
    });
    const stored = Number(/^([\d,]+) records stored/.exec(err)![1]!.replace(",", ""));
    expect(stored).toBeGreaterThan(0);
    expect(err).toContain(`engage: ended before line ${stored + 1} of ${JSON.stringify(file)}`);
    expect(String(fault)).toContain("unexpected end of file");
  });

  it("has sent to a server what it says", async () => {
    const { url, times } = await openEventServer(folderWith({}));
    const place = openPlace();
    const stop = new AbortController();
    const [first, second] = [lines(...ids.slice(0, 10).map((id) => trackOf(id))), lines(trackOf("last"))];
    // The input stays open.
    const input = new PassThrough();
    input.write(first);
    const send = (stdin: Readable, skip: number, signal: AbortSignal) =>
      run((streams) => {
        const options = { url, project: 1, skip };
        const importing = runImport(
          { env: {}, cwd: place.cwd },
          ["-"],
          options,
          { ...streams, stdin },
          signal,
        );
        return importing.catch((error: unknown) => error);
      });
    const sending = send(input, 0, stop.signal);
    await vi.waitFor(async () => expect(await times("login")).toBe(10), 10_000);
    stop.abort(new StoppedError("stopped"));
    const { code, err } = await sending;
    expect(code).toBeInstanceOf(StoppedError);
    expect(String(code)).toMatch(/stopped before line 11 of standard input; .* --skip 10 -$/);
    expect(err).toMatch(/\n10 records accepted in/);
    const rest = Readable.from([Buffer.from(first + second)]);
    expect((await send(rest, 10, new AbortController().signal)).err).toMatch(/^1 record accepted/);
    await vi.waitFor(async () => expect(await times("login")).toBe(11), 10_000);
  });

  it.each([
    {
      typed: "once",
      further: [],
      codes: [130],
      end: /\nengage: stopped before line \d+ of .* --skip \d+ -\n$/,
    },
    // A second signal after the end has no effect, so that the first one determines the exit code.
    { typed: "twice", further: ["SIGINT"] as const, codes: [130, null], end: /\n$/ },
  ])("has each record once after Ctrl-C, typed $typed", async ({ further, codes, end }) => {
    const { cwd, data } = openPlace();
    const records = Array.from({ length: 2_500 }, (_, i) => lines(trackOf(`u${i}`)));
    const first = records.slice(0, 2_000).join("");
    const child = startEngage(["import", "-"], { cwd });
    let said = "";
    child.stderr!.setEncoding("utf8").on("data", (piece: string) => (said += piece));
    const code = new Promise((resolve) => child.once("close", resolve));
    // The process ends before it has read everything.
    child.stdin!.on("error", () => undefined).write(first);
    const spool = join(data, "events", "spool");
    const bytes = () => readdirSync(spool).reduce((sum, name) => sum + statSync(join(spool, name)).size, 0);
    await vi.waitFor(() => expect(bytes()).toBeGreaterThan(0), slowly);
    child.kill("SIGINT");
    const stopping = /^engage: stopping before line (\d+) of standard input; what was taken is being stored/;
    await vi.waitFor(() => expect(said).toMatch(stopping), slowly);
    for (const signal of further) child.kill(signal);
    expect(codes).toContain(await code);
    expect(said).toMatch(end);
    const skip = Number(stopping.exec(said)![1]) - 1;
    expect(skip).toBeGreaterThan(0);
    const rest = await runEngage(["import", "--skip", `${skip}`, "-"], { cwd, input: records.join("") });
    expect(rest.stderr).toMatch(new RegExp(`^${(2_500 - skip).toLocaleString("en")} records stored`));
    const stats = JSON.parse((await runEngage(["store", "stats", "--json"], { cwd })).stdout);
    expect(stats).toMatchObject({ projects: [{ events: 2_500, users: 2_500 }] });
  });
});
