import { afterAll, beforeAll } from "vitest";
import { migrate, openPostgresRecords } from "../../../store/records/postgres/open.ts";
import { createClient } from "../../../store/sql/postgres/connect.ts";
import { testRecords } from "../../conformance/records.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const project = 7;

testRecords("records in PostgreSQL", async () => {
  const schema = `records_${++schemas}`;
  await migrate(server, schema);
  const client = createClient(server);
  await client.connect();
  const table = (number: number) => `${schema}.records_${project}_${number}`;
  return {
    async open({ maxBytes, ...options } = {}) {
      const records = await openPostgresRecords({ url: server.url, schema, pollMs: 60_000 });
      const size = maxBytes === undefined ? {} : { maxTableBytes: maxBytes };
      const spool = records.open({ ...options, ...size, project });
      return {
        spool,
        reader: spool.reader,
        async [Symbol.asyncDispose]() {
          await spool[Symbol.asyncDispose]();
          await records[Symbol.asyncDispose]();
        },
      };
    },
    async files() {
      const { rows } = await client.query<{ number: string }>(
        `SELECT substring(tablename FROM '\\d+$')::int AS number FROM pg_tables
         WHERE schemaname = $1 AND tablename ~ $2 ORDER BY 1`,
        [schema, `^records_${project}_\\d+$`],
      );
      return rows.map(({ number }) => Number(number));
    },
    async remove(number) {
      await client.query(
        `DELETE FROM ${schema}.record_tables WHERE number = ${number}; DROP TABLE ${table(number)}`,
      );
    },
    async damage(change) {
      const { rows } = await client.query<{ place: number; bytes: Buffer }>(
        `SELECT place, bytes FROM ${table(1)} ORDER BY place`,
      );
      const bytes = Buffer.concat(rows.map((row) => row.bytes));
      change(bytes);
      for (const row of rows) {
        const changed = bytes.subarray(row.place, row.place + row.bytes.length);
        await client.query(`UPDATE ${table(1)} SET bytes = $1 WHERE place = $2`, [changed, row.place]);
      }
    },
    async fail() {
      await client.query(`ALTER TABLE ${schema}.record_heads RENAME TO away`);
      return {
        async [Symbol.asyncDispose]() {
          await client.query(`ALTER TABLE ${schema}.away RENAME TO record_heads`);
        },
      };
    },
    async writes() {
      const { rows } = await client.query<{ n: number }>(`SELECT count(*) AS n FROM ${table(1)}`);
      return rows[0]!.n;
    },
    async [Symbol.asyncDispose]() {
      await client.query(`DROP SCHEMA ${schema} CASCADE`);
      await client.end();
    },
  };
});
