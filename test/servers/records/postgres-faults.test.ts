import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate, openPostgresRecords } from "../../../store/records/postgres/open.ts";
import { readAll, record } from "../../conformance/records/place.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import { openCuttingProxy } from "./cutting-proxy.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function freshSchema(): Promise<string> {
  const schema = `records_${++schemas}`;
  await migrate(server, schema);
  return schema;
}

const project = 7;
const unavailable = { name: "RecordsUnavailableError" };

describe("a store of records", () => {
  it("is migrated once, by one of several which try", async () => {
    const migrated = await Promise.all(Array.from({ length: 5 }, () => migrate(server, "fresh")));
    expect(migrated.map(({ from }) => from).toSorted()).toEqual([0, 2, 2, 2, 2]);
  });

  it("that was never migrated is refused", async () => {
    await expect(openPostgresRecords({ url: server.url, schema: "never" })).rejects.toMatchObject({
      name: "RecordsOpenError",
      message: 'record spool schema "never" has version 0, this program needs 2: run engage migrate',
    });
  });

  it("whose server does not answer is reported", async () => {
    const url = "postgresql://engage@127.0.0.1:1/postgres";
    await expect(openPostgresRecords({ url, schema: "any" })).rejects.toMatchObject(unavailable);
  });

  it("is refused when its server answers before the disk has it", async () => {
    const schema = await freshSchema();
    server.query("CREATE ROLE careless SUPERUSER LOGIN; ALTER ROLE careless SET synchronous_commit = off");
    const url = server.url.replace("engage@", "careless@");
    await expect(openPostgresRecords({ url, schema })).rejects.toMatchObject({
      name: "RecordsOpenError",
      message:
        "record spool database has synchronous_commit off, so a crash would lose accepted records: turn it on",
    });
  });

  it("keeps projects apart", async () => {
    await using records = await openPostgresRecords({ url: server.url, schema: await freshSchema() });
    const [one, two] = [1, 2].map((id) => records.open({ project: id }));
    await Promise.all([one!.append(record("1")), two!.append(record("2"))]);
    await two!.append(record("22"));
    expect(await readAll(one!.reader, await one!.reader.start())).toEqual(["1"]);
    expect(await readAll(two!.reader, await two!.reader.start())).toEqual(["2", "22"]);
    expect(() => records.open({ project: -1 })).toThrow(RangeError);
  });
});

describe("a server that goes away", () => {
  it("makes every call say so, and is found again when it is back", async () => {
    await using records = await openPostgresRecords({ url: server.url, schema: await freshSchema() });
    const spool = records.open({ project });
    const { reader } = spool;
    await spool.append(record("1"));
    const start = await reader.start();
    await server.kill();
    const calls = [
      () => spool.append(record("2")),
      () => spool.appendLines(record("2\n")),
      () => spool.end(),
      () => reader.start(),
      () => reader.end(),
      () => reader.read(start, 100),
      () => reader.bytesAfter(start),
      () => reader.release(start),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(unavailable);
    await expect(spool.append(record("2"))).rejects.toThrow(/^record spool database: connection refused by /);
    const grown = reader.grown();
    await server.start();
    await spool.append(record("3"));
    await grown;
    expect(await readAll(reader, start)).toEqual(["1", "3"]);
  });

  it("fails a spool which was never used, until it is back", async () => {
    await using records = await openPostgresRecords({ url: server.url, schema: await freshSchema() });
    const spool = records.open({ project });
    await server.kill();
    await expect(spool.end()).rejects.toMatchObject(unavailable);
    await server.start();
    expect(await spool.end()).toEqual({ number: 1, offset: 0 });
  });

  it("fails calls which it does not answer in time", async () => {
    const schema = await freshSchema();
    const options = { url: server.url, schema, statementTimeoutMs: 200 };
    await using records = await openPostgresRecords(options);
    const spool = records.open({ project });
    await spool.append(record("1"));
    server.query(`ALTER TABLE ${schema}.record_heads RENAME TO away; CREATE VIEW ${schema}.record_heads AS
      SELECT project, number, size + length(pg_sleep(10)::text) AS size FROM ${schema}.away`);
    await expect(spool.end()).rejects.toMatchObject(unavailable);
    server.query(`DROP VIEW ${schema}.record_heads; ALTER TABLE ${schema}.away RENAME TO record_heads`);
    expect(await spool.end()).toEqual({ number: 1, offset: 2 });
  });
});

describe("a connection which is cut", () => {
  it("after the commit leaves the records, which the caller may send again", async () => {
    await using proxy = await openCuttingProxy(server.url);
    await using records = await openPostgresRecords({ url: proxy.url, schema: await freshSchema() });
    const spool = records.open({ project, checksums: true });
    await spool.append(record('{"#uuid":"1"}'));
    proxy.cutReplyTo('{"#uuid":"2"');
    await expect(spool.append(record('{"#uuid":"2"}'))).rejects.toMatchObject(unavailable);
    await spool.append(record('{"#uuid":"2"}'));
    await spool.append(record('{"#uuid":"3"}'));
    const uuids = (await readAll(spool.reader, await spool.reader.start())).map(
      (text) => (JSON.parse(text) as { "#uuid": string })["#uuid"],
    );
    expect(uuids).toEqual(["1", "2", "2", "3"]);
  });

  it("for a reader is opened again", async () => {
    await using proxy = await openCuttingProxy(server.url);
    await using records = await openPostgresRecords({ url: proxy.url, schema: await freshSchema() });
    const { reader, append } = records.open({ project });
    await append(record("1"));
    const start = await reader.start();
    proxy.cutReplyTo("substring(bytes");
    await expect(reader.read(start, 100)).rejects.toMatchObject(unavailable);
    expect(await readAll(reader, start)).toEqual(["1"]);
  });
});

describe("growth by another process", () => {
  it("is notified", async () => {
    const options = { url: server.url, schema: await freshSchema(), pollMs: 600_000 };
    await using writing = await openPostgresRecords(options);
    await using reading = await openPostgresRecords(options);
    const { append } = writing.open({ project });
    const { reader } = reading.open({ project });
    for (let n = 1; n <= 5; n++) {
      for (;;) {
        const grown = reader.grown();
        if ((await reader.end()).offset >= 2 * (n - 1)) break;
        await grown;
      }
      const from = await reader.end();
      await append(record("1"));
      for (let isRead = false; !isRead; ) {
        const grown = reader.grown();
        isRead = (await reader.read(from, 100)) !== undefined;
        if (!isRead) await grown;
      }
    }
    expect(await reader.end()).toEqual({ number: 1, offset: 10 });
  });

  it("is found by looking when the notification is lost", async () => {
    const schema = await freshSchema();
    await using records = await openPostgresRecords({ url: server.url, schema, pollMs: 50 });
    const { reader } = records.open({ project });
    const start = await reader.end();
    for (let n = 0; n < 3; n++) {
      const grown = reader.grown();
      const { offset } = await reader.end();
      server.query(`BEGIN; UPDATE ${schema}.record_heads SET size = size + 2;
        INSERT INTO ${schema}.records_7_1 VALUES (${offset}, '1\n'); COMMIT`);
      await grown;
      await expect.poll(() => reader.bytesAfter(start)).toBe(offset + 2);
    }
    expect(await readAll(reader, start)).toEqual(["1", "1", "1"]);
  });
});
