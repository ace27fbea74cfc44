import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../base/async/clock.ts";
import { type Forwarder, openForwarder } from "../../../store/records/forward.ts";
import { createFileCursor } from "../../../store/records/forward-cursor.ts";
import { createRecordReader } from "../../../store/records/record-reader.ts";
import { openRecordSpool, type RecordSpool } from "../../../store/records/record-spool.ts";
import type { SendOutcome } from "../../../store/records/records.ts";

let root = "";
let folder = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "forward-"));
  folder = join(root, "records");
});
afterEach(() => rmSync(root, { recursive: true }));

/** For machines that are busy with other tests. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });

const taken: SendOutcome = { kind: "taken" };
const refused: SendOutcome = { kind: "refused", reason: "bad format" };
const away: SendOutcome = { kind: "retry", reason: "away" };
const delays = { minDelayMs: 100, maxDelayMs: 1_000, unknownAppidMs: 5_000 };
const textOf = (n: number): string => `{"n":${n}}`;
const range = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => textOf(from + n));

/** An answer that never comes. */
function untilCut(_texts: readonly string[], signal: AbortSignal): Promise<SendOutcome> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("cut")));
  });
}

/** Opens a receiver, which accepts everything by default, and records all reports of the forwarder. */
function openBench(spool: RecordSpool, settings: object = {}) {
  const bench = {
    calls: [] as string[][],
    taken: [] as string[],
    dead: [] as string[],
    retried: [] as string[],
    failures: [] as string[],
    waits: [] as number[],
    reply: async (_records: readonly string[], _signal: AbortSignal): Promise<SendOutcome> => taken,
    keepDead: async (_record: string): Promise<void> => {},
    wait: async (_ms: number): Promise<void> => {},
    forwarder: undefined as unknown as Forwarder,
  };
  bench.forwarder = openForwarder({
    reader: createRecordReader({ folder, spool }),
    cursor: createFileCursor(folder),
    delays,
    random: () => 0.5,
    stopMs: () => 60_000,
    deleteForwarded: true,
    limits: { maxRecords: 100, maxBytes: 65_536 },
    receiver: {
      async send(records, signal) {
        const texts = records.map((record) => Buffer.from(record).toString());
        bench.calls.push(texts);
        const outcome = await bench.reply(texts, signal);
        bench.taken.push(...(outcome.kind === "taken" ? texts : []));
        return outcome;
      },
    },
    keepDead: (record) => bench.keepDead(Buffer.from(record).toString()),
    observer: {
      forwarded: () => {},
      retried: ({ kind }) => void bench.retried.push(kind),
      dead: (record) => void bench.dead.push(Buffer.from(record).toString()),
      failed: (error) => void bench.failures.push((error as Error).message),
    },
    wait: (ms) => {
      bench.waits.push(ms);
      return bench.wait(ms);
    },
    ...settings,
  });
  onTestFinished(() => bench.forwarder[Symbol.asyncDispose]());
  return bench;
}

type SpoolOptions = Partial<Parameters<typeof openRecordSpool>[0]>;

async function spoolOf(texts: readonly string[], options: SpoolOptions = {}): Promise<RecordSpool> {
  const spool = openRecordSpool({ folder, ...options });
  onTestFinished(() => spool[Symbol.asyncDispose]());
  for (const text of texts) await spool.append(Buffer.from(text));
  return spool;
}

const cursor = (): unknown => JSON.parse(readFileSync(join(folder, "forward.json"), "utf8"));
const segments = (): string[] => readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
const nameOf = (number: number): string => `${String(number).padStart(12, "0")}.ndjson`;

describe("forwarded records", () => {
  it("are sent in their order, byte for byte, later ones included", async () => {
    const odd = ['{"b":1.0,"a":9007199254740993,"2":0,"1":0}', '{"s":"\\u00e9 é \\/","d":1,"d":2}'];
    const spool = await spoolOf(odd);
    const bench = openBench(spool);
    await eventually(() => bench.taken).toEqual(odd);
    for (const text of range(20)) await spool.append(Buffer.from(text));
    await eventually(() => bench.taken).toEqual([...odd, ...range(20)]);
  });

  it.each([
    ["records", { maxRecords: 10, maxBytes: 65_536 }, [10, 10, 5]],
    ["bytes", { maxRecords: 100, maxBytes: 80 }, [10, 8, 7]],
    ["fewer bytes than a record has", { maxRecords: 100, maxBytes: 3 }, Array(25).fill(1)],
  ])("go in batches bounded by %s", async (_what, limits, sizes) => {
    const bench = openBench(await spoolOf(range(25)), { limits });
    await eventually(() => bench.taken).toEqual(range(25));
    expect(bench.calls.map(({ length }) => length)).toEqual(sizes);
  });

  it("are not sent again after a restart", async () => {
    const spool = await spoolOf(range(3));
    const first = openBench(spool);
    await eventually(cursor).toEqual({ number: 1, offset: 24 });
    await first.forwarder[Symbol.asyncDispose]();
    const second = openBench(spool);
    await spool.append(Buffer.from(textOf(3)));
    await eventually(() => second.taken).toEqual([textOf(3)]);
  });

  it("are not sent before they are on disk", async () => {
    const spool = await spoolOf(range(2));
    writeFileSync(join(folder, nameOf(1)), `${textOf(9)}\n${textOf(9)}`, { flag: "a" });
    const bench = openBench(spool);
    await eventually(() => bench.taken).toEqual(range(2));
    await eventually(() => bench.forwarder.status()).toEqual({ waitingBytes: 0, oldest: undefined });
  });

  it("are reported while they wait", async () => {
    const spool = await spoolOf(range(3), { maxFileBytes: 16 });
    const bench = openBench(spool, { stopMs: () => 1 });
    bench.reply = untilCut;
    await eventually(async () => {
      const { waitingBytes, oldest } = await bench.forwarder.status();
      return [waitingBytes, Buffer.from(oldest ?? []).toString()];
    }).toEqual([24, textOf(0)]);
    expect(segments()).toHaveLength(2);
  });
});

describe("unavailable receiver", () => {
  it("is called again without limit, with growing delays", async () => {
    const spool = await spoolOf(range(2));
    const outcomes = [...Array(7).fill(away), new Error("broken"), taken];
    const bench = openBench(spool);
    bench.reply = async () => {
      const outcome = outcomes.shift();
      return outcome instanceof Error ? Promise.reject(outcome) : outcome;
    };
    await eventually(() => bench.taken).toEqual(range(2));
    expect(bench.waits).toEqual([75, 150, 300, 600, 750, 750, 750, 750]);
    expect(bench.calls).toEqual(Array(9).fill(range(2)));
    expect(bench.dead).toEqual([]);
  });

  it("is called again no earlier than it requested", async () => {
    const outcomes = [{ ...away, afterMs: 30_000 }, taken];
    const bench = openBench(await spoolOf(range(1)));
    bench.reply = async () => outcomes.shift()!;
    await eventually(() => bench.taken).toEqual(range(1));
    expect(bench.waits).toEqual([30_075]);
  });

  it("that does not know the appid is called slowly, without dead letters", async () => {
    const outcomes: SendOutcome[] = [...Array(3).fill({ kind: "unknown_appid", reason: "-2" }), taken];
    const bench = openBench(await spoolOf(range(2)));
    bench.reply = async () => outcomes.shift()!;
    await eventually(() => bench.taken).toEqual(range(2));
    expect([bench.waits, bench.retried, bench.dead]).toEqual([
      [5_000, 5_000, 5_000],
      Array(3).fill("unknown_appid"),
      [],
    ]);
  });
});

describe("refused record", () => {
  it.each([[0], [1], [49], [50], [98], [99]])(
    "at place %i of 100 alone becomes a dead letter",
    async (bad) => {
      const bench = openBench(await spoolOf(range(100)));
      bench.reply = async (texts) => (texts.includes(textOf(bad)) ? refused : taken);
      await eventually(cursor).toEqual({ number: 1, offset: 10 * 8 + 90 * 9 });
      expect(bench.taken).toEqual(range(100).filter((text) => text !== textOf(bad)));
      expect(bench.dead).toEqual([textOf(bad)]);
      expect(bench.calls.length).toBeLessThanOrEqual(1 + 2 * 7);
    },
  );

  it("does not block the others", async () => {
    const bench = openBench(await spoolOf(range(8)));
    bench.reply = async () => refused;
    await eventually(() => bench.dead).toEqual(range(8));
    expect(bench.taken).toEqual([]);
  });

  it.each([[0], [7], [19]])(
    "at place %i is not what was taken is a dead letter, and is never sent",
    async (bad) => {
      const spool = await spoolOf(range(20), { checksums: true });
      const file = join(folder, nameOf(1));
      writeFileSync(file, readFileSync(file, "utf8").replace(`"n":${bad},`, `"m":${bad},`));
      const bench = openBench(spool);
      await eventually(() => bench.dead).toEqual([expect.stringContaining(`"m":${bad},`)]);
      await eventually(() => bench.taken).toEqual(range(20).filter((_text, at) => at !== bad));
      await eventually(() => bench.forwarder.status()).toMatchObject({ waitingBytes: 0 });
      expect(bench.failures).toEqual([]);
    },
  );

  it("waits until its dead letter is stored", async () => {
    const bench = openBench(await spoolOf(range(2)));
    const faults = [new Error("disk full"), new Error("disk full")];
    bench.reply = async (texts) => (texts.includes(textOf(0)) ? refused : taken);
    bench.keepDead = async () => {
      const fault = faults.shift();
      return fault === undefined ? undefined : Promise.reject(fault);
    };
    await eventually(() => bench.taken).toEqual([textOf(1)]);
    expect([bench.dead, bench.failures]).toEqual([[textOf(0)], ["disk full", "disk full"]]);
  });
});

describe("position on disk", () => {
  it.each([
    ["is torn", '{"number":1,"off'],
    ["is empty", ""],
    ["is no object", "null"],
    ["has no sense", '{"number":1,"offset":-8}'],
    ["is inside a record", '{"number":1,"offset":11}'],
    ["is behind the end", '{"number":1,"offset":800}'],
    ["is in a file that is gone", '{"number":7,"offset":0}'],
  ])("that %s makes records go out again, and none lost", async (_what, text) => {
    const spool = await spoolOf(range(3));
    writeFileSync(join(folder, "forward.json"), text);
    const bench = openBench(spool);
    await eventually(() => bench.taken).toEqual(range(3));
    expect(bench.failures).toHaveLength(1);
    await eventually(cursor).toEqual({ number: 1, offset: 24 });
  });

  it("in a deleted file is followed by the next file", async () => {
    const spool = await spoolOf(range(6), { maxFileBytes: 16 });
    writeFileSync(join(folder, "forward.json"), '{"number":1,"offset":8}');
    rmSync(join(folder, nameOf(1)));
    const bench = openBench(spool);
    await eventually(() => bench.taken).toEqual(range(4, 2));
  });

  it("which can't be written blocks nothing, and no file is deleted", async () => {
    const spool = await spoolOf(range(6), { maxFileBytes: 16 });
    mkdirSync(join(folder, "forward.json.new"));
    const bench = openBench(spool);
    await eventually(() => bench.taken).toEqual(range(6));
    expect(segments()).toEqual([1, 2, 3].map(nameOf));
    expect(bench.failures[0]).toMatch(/EISDIR/);
  });
});

describe("spool files", () => {
  it("are deleted when they are completely forwarded, except the last", async () => {
    const spool = await spoolOf(range(7), { maxFileBytes: 16 });
    const bench = openBench(spool);
    await eventually(() => bench.taken).toEqual(range(7));
    await eventually(segments).toEqual([nameOf(4)]);
    await bench.forwarder[Symbol.asyncDispose]();
    await spool[Symbol.asyncDispose]();
    const again = openBench(await spoolOf(range(3, 7), { maxFileBytes: 16 }));
    await eventually(() => again.taken).toEqual(range(3, 7));
    await eventually(segments).toEqual([nameOf(5)]);
  });

  it("are kept when configured so", async () => {
    const bench = openBench(await spoolOf(range(7), { maxFileBytes: 16 }), { deleteForwarded: false });
    await eventually(() => bench.taken).toEqual(range(7));
    await eventually(cursor).toEqual({ number: 4, offset: 8 });
    expect(segments()).toEqual([1, 2, 3, 4].map(nameOf));
  });
});

describe("closing a forwarder", () => {
  it("waits for the call in progress, and nothing is sent twice", async () => {
    const spool = await spoolOf(range(2));
    const bench = openBench(spool);
    const answer = Promise.withResolvers<SendOutcome>();
    bench.reply = () => answer.promise;
    await eventually(() => bench.calls).toHaveLength(1);
    const closed = bench.forwarder[Symbol.asyncDispose]();
    answer.resolve(taken);
    await closed;
    expect(cursor()).toEqual({ number: 1, offset: 16 });
  });

  it("aborts a call which takes too long, and its records are sent again", async () => {
    const spool = await spoolOf(range(2));
    const bench = openBench(spool, { stopMs: () => 1 });
    bench.reply = untilCut;
    await eventually(() => bench.calls).toHaveLength(1);
    await bench.forwarder[Symbol.asyncDispose]();
    const again = openBench(spool);
    await eventually(() => again.taken).toEqual(range(2));
  });

  it("ends a delay at once", async () => {
    const spool = await spoolOf(range(2));
    const bench = openBench(spool, {
      wait: systemClock.wait,
      delays: { ...delays, minDelayMs: 1e9, maxDelayMs: 1e9 },
    });
    bench.reply = async () => away;
    await eventually(() => bench.retried).toEqual(["retry"]);
    await bench.forwarder[Symbol.asyncDispose]();
    expect(bench.calls).toHaveLength(1);
  });

  it("is possible at any moment", async () => {
    const spool = await spoolOf([]);
    const bench = openBench(spool);
    await bench.forwarder[Symbol.asyncDispose]();
    expect(bench.calls).toEqual([]);
  });
});

it("retries a spool which can't be opened", async () => {
  writeFileSync(folder, "in the way");
  const bench = openBench(await spoolOf([]));
  bench.wait = async () => rmSync(folder, { force: true, recursive: true });
  await eventually(() => bench.failures.length).toBeGreaterThan(0);
  expect(bench.failures[0]).toMatch(/^cannot write to the record spool: /);
});
