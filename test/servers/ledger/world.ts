import { afterAll, beforeAll } from "vitest";
import { type Ledger, migrateLedger, openLedger } from "../../../store/events/ledger/ledger.ts";
import type { BatchEnd, LoadedProject } from "../../../store/events/ledger/load.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";

export let server: PostgresServer;
let schemas = 0;

/** Starts a PostgreSQL server for the tests of the file. */
export function useServer(): void {
  beforeAll(async () => {
    server = await openPostgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());
}

interface World extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly schema: string;
  /** The time of the ledger. */
  nowMs: number;
  /** Gives a lease a new token. */
  acquire(name: string): number;
}

export async function openWorld(): Promise<World> {
  const schema = `ledger_${++schemas}`;
  await migrateLedger(server, schema);
  server.query(`CREATE TABLE ${schema}.leases (name text PRIMARY KEY, token bigint NOT NULL)`);
  const world: World = {
    nowMs: 1_000_000_000,
    schema,
    ledger: await openLedger({ url: server.url, schema, now: () => world.nowMs }),
    acquire(name: string) {
      const inserted = server.query(
        `INSERT INTO ${schema}.leases AS l VALUES ('${name}', 1) ON CONFLICT (name)
         DO UPDATE SET token = l.token + 1 RETURNING token`,
      );
      return Number(inserted);
    },
    async [Symbol.asyncDispose]() {
      await world.ledger[Symbol.asyncDispose]();
    },
  };
  return world;
}

export const place = (offset: number) => ({ number: 0, offset });
export const buy = { name: "buy", number: 1 };
export const price = { table: "event", name: "price", number: 1, type: "number" } as const;
const nothingNew = { newEvents: [], newProperties: [], days: [] };
export const project = (more: Partial<LoadedProject> = {}): LoadedProject => ({
  ...nothingNew,
  projectId: 7,
  ...more,
});

export async function begin(ledger: Ledger, spool: string, to: number, token?: number): Promise<number> {
  const fence = token === undefined ? undefined : { name: spool, token };
  const { number } = await ledger.call("beginBatch", { spool, to: place(to), projects: [7], fence });
  return number!;
}

export function complete(
  ledger: Ledger,
  batch: Omit<BatchEnd, "to" | "fence" | "projects"> & Partial<BatchEnd>,
) {
  return ledger.call("completeBatch", {
    to: place(batch.number * 100),
    fence: undefined,
    projects: [project()],
    ...batch,
  });
}

/** Loads one batch without rows. */
export async function load(
  ledger: Ledger,
  spool: string,
  more: Partial<LoadedProject> = {},
): Promise<number> {
  const number = await begin(ledger, spool, 1_000_000);
  await complete(ledger, { number, spool, projects: [project(more)] });
  return number;
}
