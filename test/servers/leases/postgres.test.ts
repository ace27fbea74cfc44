import { Client } from "pg";
import { afterAll, beforeAll } from "vitest";
import { migrate, openPostgresLeases } from "../../../store/leases/postgres/open.ts";
import { testLeases } from "../../conformance/leases.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import { startFenced } from "./fenced-transaction.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

testLeases("PostgreSQL leases", async () => {
  const schema = `leases_${++schemas}`;
  await migrate(server, schema);
  return {
    open: (options) => openPostgresLeases({ ...options, url: server.url, schema }),
    async hang() {
      const client = new Client({ connectionString: server.url });
      await client.connect();
      await client.query(`BEGIN; LOCK TABLE ${schema}.leases IN ACCESS EXCLUSIVE MODE`);
      return { [Symbol.asyncDispose]: () => client.end() };
    },
    isWaiting: async () => server.query("SELECT count(*) FROM pg_locks WHERE NOT granted") !== "0",
    startFenced: (lease) => startFenced(server.url, schema, lease),
    async [Symbol.asyncDispose]() {
      server.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
});
