import { afterAll, beforeAll, describe } from "vitest";
import { migrate, openPostgresIntake } from "../../../store/intake/postgres/open.ts";
import { type IntakeUnderTest, windowMs } from "../../conformance/intake/store.ts";
import { describeIntake } from "../../conformance/intake.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function start(options: { readonly maxCachedIds?: number } = {}): Promise<IntakeUnderTest> {
  const schema = `intake_${++schemas}`;
  await migrate(server, schema);
  const opened = new AsyncDisposableStack();
  return {
    async open() {
      const { url } = server;
      return opened.use(
        await openPostgresIntake({ url, schema, spool: 5, uuidWindowMs: windowMs, ...options }),
      );
    },
    async [Symbol.asyncDispose]() {
      await opened.disposeAsync();
      server.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
}

describe("PostgreSQL intake", () => {
  describeIntake(() => start());
});

describe("PostgreSQL intake that keeps one id in memory", () => {
  describeIntake(() => start({ maxCachedIds: 1 }));
});
