import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SendOutcome } from "../../../store/records/records.ts";
import {
  away,
  cursor,
  eventually,
  folder,
  nameOf,
  openBench,
  range,
  spoolOf,
  taken,
  textOf,
  useFolder,
} from "./forward-bench.ts";

useFolder();

const refused: SendOutcome = { kind: "refused", reason: "bad format" };

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
