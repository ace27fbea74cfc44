import { afterAll, beforeAll } from "vitest";
import { migrate, openPostgresInbox } from "../../../store/inbox/postgres/open.ts";
import { testInbox } from "../../conformance/inbox.ts";
import { openPostgresServer, type PostgresServer } from "./postgres-server.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

testInbox("PostgreSQL inbox", async () => {
  const schema = `inbox_${++schemas}`;
  await migrate(server, schema);
  return {
    open: (options) => openPostgresInbox({ ...options, url: server.url, schema }),
    async tamper(sql) {
      server.query(sql.replaceAll("{bytes}", "bytea").replaceAll(/\{(\w+)\}/g, `${schema}.$1`));
    },
    async [Symbol.asyncDispose]() {
      server.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
});
