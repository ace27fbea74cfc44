import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../base/async/clock.ts";
import type { SendOutcome } from "../../../store/records/records.ts";
import {
  away,
  cursor,
  delays,
  eventually,
  folder,
  nameOf,
  openBench,
  range,
  segments,
  spoolOf,
  taken,
  textOf,
  useFolder,
} from "./forward-bench.ts";

useFolder();

/** An answer that never comes. */
function untilCut(_texts: readonly string[], signal: AbortSignal): Promise<SendOutcome> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("cut")));
  });
}

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
