import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { checkLine } from "../../../base/files/line-checksum.ts";
import { migrate, openPostgresRecords, type PostgresRecords } from "../../../store/records/postgres/open.ts";
import type { RecordPlace, RecordReader } from "../../../store/records/records.ts";
import { type ReadLine, readAll, readLines, record } from "../../conformance/records/place.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const project = 7;
const timeout = 60_000;

async function freshSchema(): Promise<string> {
  const schema = `records_${++schemas}`;
  await migrate(server, schema);
  return schema;
}

async function openBoth(schema: string): Promise<readonly [PostgresRecords, PostgresRecords]> {
  const options = { url: server.url, schema };
  return [await openPostgresRecords(options), await openPostgresRecords(options)];
}

/** Returns the places at which a line does not begin where the one before ends, in its table or in the next one. */
function gapsOf(lines: readonly ReadLine[]): readonly RecordPlace[] {
  return lines.filter(({ number, offset }, at) => {
    const before = lines[at - 1] ?? { number: 1, offset: -1, text: "" };
    const isNext = number === before.number && offset === before.offset + before.text.length + 1;
    return !isNext && !(number === before.number + 1 && offset === 0);
  });
}

describe("replicas which append", () => {
  it("share tables which are filled in turn", async () => {
    const schema = await freshSchema();
    const both = await openBoth(schema);
    await using _a = both[0];
    await using _b = both[1];
    const spools = both.map((records) => records.open({ project, maxTableBytes: 100 }));
    const texts = Array.from({ length: 300 }, (_, n) => `{"n":${n}}`);
    const append = async (replica: number): Promise<void> => {
      for (let n = replica; n < texts.length; n += 4) await spools[replica % 2]!.append(record(texts[n]!));
    };
    await Promise.all([0, 1, 2, 3].map(append));
    const { reader } = spools[0]!;
    const lines = await readLines(reader, await reader.start(), 1_000);
    expect(lines.map(({ text }) => text).toSorted()).toEqual(texts.toSorted());
    expect(gapsOf(lines)).toEqual([]);
    expect(lines.every(({ offset, text }) => offset + text.length + 1 <= 100)).toBe(true);
    expect(await spools[1]!.end()).toEqual(await spools[0]!.end());
  });

  it("continue when the table which they used was dropped meanwhile", async () => {
    const [a, b] = await openBoth(await freshSchema());
    await using _a = a;
    await using _b = b;
    const [first, second] = [a, b].map((records) => records.open({ project, maxTableBytes: 8 }));
    await first!.append(record("1"));
    for (let n = 0; n < 5; n++) await second!.append(record('{"n":1}'));
    await second!.reader.release(await second!.end());
    await first!.append(record("2"));
    expect(await readAll(first!.reader, await first!.reader.start())).toEqual(['{"n":1}', "2"]);
    expect(await first!.end()).toEqual({ number: 7, offset: 2 });
  });

  it("append while one reads and another deletes what was read", async () => {
    const [a, b] = await openBoth(await freshSchema());
    await using _a = a;
    await using _b = b;
    const [appending, reading] = [a, b].map((records) => records.open({ project, maxTableBytes: 60 }));
    const texts = Array.from({ length: 400 }, (_, n) => `{"n":${n}}`);
    const appended = Promise.all(texts.map((text) => appending!.append(record(text))));
    const slowly = (async () => {
      for (const text of texts) await appending!.append(record(text));
    })();
    /** Reads all records once; each place is released by the other replica as soon as it was read. */
    const readOnce = async (reader: RecordReader, isReleasing: boolean): Promise<number> => {
      let read = 0;
      for (let at: RecordPlace = { number: 1, offset: 0 }; ; ) {
        const grown = reader.grown();
        const chunk = await reader.read(at, 25);
        if (chunk === undefined) {
          if (read === 2 * texts.length || !isReleasing) return read;
          await grown;
          continue;
        }
        read += Buffer.from(chunk.bytes).toString().split("\n").length - 1;
        at = chunk.to;
        if (isReleasing) await appending!.reader.release(at);
      }
    };
    const loading = readOnce(reading!.reader, true);
    // Others may find that tables are dropped under them; what they read are still whole lines.
    for (let n = 0; n < 20; n++) await readOnce(appending!.reader, false);
    expect(await loading).toBe(2 * texts.length);
    await Promise.all([appended, slowly]);
  });
});

describe("processes which append", () => {
  interface Writer {
    readonly name: string;
    readonly process: ChildProcess;
    readonly acknowledged: number[];
  }

  let writers = 0;

  function startWriter(schema: string): Writer {
    const name = `w${++writers}`;
    const file = new URL("./writer.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [file, server.url, schema, name], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const acknowledged: number[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => acknowledged.push(Number(line)));
    return { name, process: child, acknowledged };
  }

  async function kill(writer: Writer): Promise<void> {
    const ended = once(writer.process, "close");
    writer.process.kill("SIGKILL");
    await ended;
  }

  const count = (all: readonly Writer[]): number =>
    all.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);

  async function more(all: readonly Writer[], records: number): Promise<void> {
    const enough = count(all) + records;
    await vi.waitUntil(() => count(all) >= enough, { timeout, interval: 1 });
  }

  /** Checks that all acknowledged records are stored, without a gap between places. */
  async function verify(schema: string, all: readonly Writer[]): Promise<readonly string[]> {
    await using records = await openPostgresRecords({ url: server.url, schema });
    const { reader } = records.open({ project, checksums: true });
    const lines = await readLines(reader, await reader.start(), 700);
    expect(gapsOf(lines)).toEqual([]);
    expect(lines.filter(({ text, ...at }) => checkLine(record(text), at) !== "intact")).toEqual([]);
    const keys = lines.map(({ text }) => {
      const { w, n } = JSON.parse(text) as { w: string; n: number };
      return `${w} ${n}`;
    });
    const stored = new Set(keys);
    const missing = all.flatMap(({ name, acknowledged }) =>
      acknowledged.map((n) => `${name} ${n}`).filter((key) => !stored.has(key)),
    );
    expect(missing).toEqual([]);
    return keys;
  }

  it("lose no acknowledged record when they are killed", async () => {
    const schema = await freshSchema();
    const all = [startWriter(schema), startWriter(schema)];
    const running = [...all];
    for (let kills = 0; kills < 8; kills++) {
      await more(running, 200);
      await kill(running.shift()!);
      const next = startWriter(schema);
      all.push(next);
      running.push(next);
    }
    await more(running, 200);
    await Promise.all(running.map(kill));
    const keys = await verify(schema, all);
    // Without a failure of the server no record is sent twice.
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("lose no acknowledged record when the server is killed", async () => {
    const schema = await freshSchema();
    const all = [startWriter(schema), startWriter(schema)];
    for (let kills = 0; kills < 5; kills++) {
      await more(all, 200);
      await server.kill();
      await server.start();
    }
    await more(all, 200);
    await Promise.all(all.map(kill));
    await verify(schema, all);
  });
});
