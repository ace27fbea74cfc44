import { afterAll, beforeAll } from "vitest";
import { migrate, openPostgresChannels } from "../../../store/channels/postgres/open.ts";
import { testChannelStore } from "../../conformance/channels.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

testChannelStore("PostgreSQL channels", async () => {
  const schema = `channels_${++schemas}`;
  await migrate(server, schema);
  return {
    open: (options) => openPostgresChannels({ ...options, url: server.url, schema }),
    async [Symbol.asyncDispose]() {
      server.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
});
