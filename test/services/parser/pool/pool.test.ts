import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parserConfigSchema } from "../../../../services/parser/config.ts";
import { openFormats } from "../../../../services/parser/formats/formats.ts";
import { type Batch, createBatchParser } from "../../../../services/parser/line/batch.ts";
import { separatorsOf } from "../../../../services/parser/line/separators.ts";
import {
  createParserPool,
  type ParserPool,
  type ParserPoolOptions,
} from "../../../../services/parser/pool/pool.ts";
import { parseNdjson } from "../recorder.ts";

const module = fileURLToPath(new URL("../../../testdata/parser-workers/fragile-module.ts", import.meta.url));
const config = parserConfigSchema.parse({
  formats: [
    {
      name: "game",
      index: "game.log",
      type: "json",
      mapping: { "#account_id": "id", level: { from: "level", type: "number" } },
    },
    { name: "fragile", index: "fragile.log", type: "module", module },
  ],
});
const signal = new AbortController().signal;

const opened: ParserPool[] = [];
function poolOf(options: Partial<ParserPoolOptions> = {}): ParserPool {
  const pool = createParserPool({ config, maxPendingBytes: 1e9, monotonicMs: () => 0, ...options });
  opened.push(pool);
  return pool;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((pool) => pool[Symbol.asyncDispose]()));
});

function batchOf(lines: readonly string[], index = "fragile.log"): Batch {
  const content = new TextEncoder().encode(lines.map((line) => `${index}|ta|${line}`).join("::"));
  return { content, framing: "items", index: "", source: "test" };
}

async function textOf(parsed: Promise<{ content: Uint8Array }>): Promise<string> {
  return Buffer.from((await parsed).content).toString("utf8");
}

const ok = (text: string) => `{"#type":"track","properties":{"text":"${text}"}}`;

describe("a batch in a worker", () => {
  it("makes this thread collect its young garbage after each MiB", async () => {
    const collect = vi.fn<() => void>();
    let nowMs = 0;
    const pool = poolOf({ collect, monotonicMs: () => (nowMs += 60_000) });
    const collections: number[] = [];
    for (const mib of [0.5, 0.5, 1, 3, 0.5]) {
      const content = Buffer.from("fragile.log|ta|a".padEnd(mib * 1_048_576));
      await pool.parse({ ...batchOf([]), content }, signal);
      collections.push(collect.mock.calls.length);
    }
    expect(collections).toEqual([0, 1, 2, 3, 3]);
  });

  it("gives the same answer, counts and letters as inline", async () => {
    const lines = Array.from(
      { length: 3_000 },
      (_, n) => ['{"id":1,"level":"7"}', "é::é", '{"level":"x"}', ""][n % 4]!,
    );
    const { formatFor } = await openFormats(config);
    const separators = separatorsOf(config);
    const parse = createBatchParser({ formatFor, separators, maxLineBytes: 1_000, now: Date.now });
    const inline = parse(batchOf(lines, "game.log"));
    const threaded = await poolOf().parse(batchOf(lines, "game.log"), signal);
    expect(Buffer.from(threaded.content).equals(inline.content)).toBe(true);
    expect(threaded.counts).toEqual(inline.counts);
    const withoutTime = (ndjson: Uint8Array) =>
      parseNdjson(ndjson).map((letter) => ({ ...letter, time: "" }));
    expect(withoutTime(threaded.deadLetters.ndjson)).toEqual(withoutTime(inline.deadLetters.ndjson));
    expect(threaded.deadLetters.count).toBe(1_500);
  });

  it("is transferred when nothing else lies in its memory, and copied otherwise", async () => {
    const pool = poolOf();
    const own = batchOf(["a"]);
    await pool.parse(own, signal);
    expect(own.content.length).toBe(0);
    const shared = { ...own, content: Buffer.alloc(1_000, "fragile.log|ta|a::").subarray(0, 16) };
    expect(await textOf(pool.parse(shared, signal))).toBe(ok("a"));
    expect(shared.content.length).toBe(16);
  });
});

describe("a worker that ends", () => {
  it("fails its call, and the repeated call leaves out the item that ended it", async () => {
    const pool = poolOf();
    const lines = ["a", "exit", "b", "exit", "c"];
    await expect(pool.parse(batchOf(lines), signal)).rejects.toThrow("parser worker crashed at item 1");
    await expect(pool.parse(batchOf(lines), signal)).rejects.toThrow("parser worker crashed at item 3");
    const { content, counts, deadLetters: letters } = await pool.parse(batchOf(lines), signal);
    expect(Buffer.from(content).toString()).toBe(`${ok("a")}::{}::${ok("b")}::{}::${ok("c")}`);
    expect(Object.fromEntries(counts.failedByReason)).toEqual({ module_error: 2 });
    expect(parseNdjson(letters.ndjson)).toMatchObject([{ line: "exit" }, { line: "exit" }]);
  });

  it("does not harm other calls", async () => {
    const pool = poolOf();
    const bad = expect(pool.parse(batchOf(["exit"]), signal)).rejects.toThrow("crashed at item 0");
    const good = textOf(pool.parse(batchOf(["a"]), signal));
    await bad;
    expect(await good).toBe(ok("a"));
    expect(pool.isUsable()).toBe(true);
  });

  it("is given up on when a batch ends too many of them: all its items are {}", async () => {
    const pool = poolOf();
    const lines = Array.from({ length: 20 }, () => "exit");
    for (let item = 0; item < 5; item++) {
      await expect(pool.parse(batchOf(lines), signal)).rejects.toThrow(`crashed at item ${item}`);
    }
    expect(await textOf(pool.parse(batchOf(lines), signal))).toBe(lines.map(() => "{}").join("::"));
  });

  it("may end for lack of memory", async () => {
    const pool = poolOf({ resourceLimits: { maxOldGenerationSizeMb: 32 } });
    await expect(pool.parse(batchOf(["memory"]), signal)).rejects.toThrow("crashed at item 0");
    expect(await textOf(pool.parse(batchOf(["memory"]), signal))).toBe("{}");
  });

  it("leaves the pool unusable for a while when it can't even start", async () => {
    let nowMs = 1_000;
    const pool = poolOf({ config: { ...config, formats: null as never }, monotonicMs: () => nowMs });
    await expect(pool.parse(batchOf(["a"]), signal)).rejects.toThrow("crashed at item -1");
    expect(pool.isUsable()).toBe(false);
    nowMs += 30_000;
    expect(pool.isUsable()).toBe(true);
  });
});

describe("the pool", () => {
  it("refuses what is too much to wait", async () => {
    const pool = poolOf({ maxPendingBytes: 100 });
    const first = pool.parse(batchOf(["a"]), signal);
    await expect(pool.parse(batchOf(["b".repeat(100)]), signal)).rejects.toThrow("bytes in the queue");
    expect(await textOf(first)).toBe(ok("a"));
    expect(await textOf(pool.parse(batchOf(["b".repeat(100)]), signal))).toBe(ok("b".repeat(100)));
  });

  it("ends a batch whose call was cancelled", async () => {
    const pool = poolOf();
    const cancelled = AbortSignal.abort(new Error("caller went away"));
    await expect(pool.parse(batchOf(["a"]), cancelled)).rejects.toThrow("caller went away");
    const running = new AbortController();
    const forever = pool.parse(batchOf(["forever"]), running.signal);
    running.abort(new Error("deadline passed"));
    await expect(forever).rejects.toThrow("deadline passed");
    expect(await textOf(pool.parse(batchOf(["a"]), signal))).toBe(ok("a"));
  });

  it("ends threads that have nothing to do, and starts others", async () => {
    const pool = poolOf({ idleMs: 1 });
    const threadOf = () => textOf(pool.parse(batchOf(["thread"]), signal));
    const first = await threadOf();
    await expect.poll(threadOf, { interval: 100, timeout: 20_000 }).not.toBe(first);
  });

  it("waits for open batches when it closes", async () => {
    const pool = poolOf();
    const texts = ["a", "b", "c", "d", "e", "f"];
    const answers = texts.map((text) => textOf(pool.parse(batchOf([text]), signal)));
    await pool[Symbol.asyncDispose]();
    expect(await Promise.all(answers)).toEqual(texts.map(ok));
  });
});
