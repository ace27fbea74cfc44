import type { Intake } from "../../../store/intake/intake.ts";
import {
  migrate,
  openPostgresIntake,
  type PostgresIntakeOptions,
} from "../../../store/intake/postgres/open.ts";
import { migrate as migrateLeases } from "../../../store/leases/postgres/open.ts";
import { keysOf, place } from "../../conformance/intake/store.ts";
import type { PostgresServer } from "../inbox/postgres-server.ts";

/** A schema with the tables of intakes and leases. */
export interface IntakeSchema extends AsyncDisposable {
  readonly name: string;
  /** Opens an intake as another loader would. All are closed with the schema. */
  open(options?: Partial<PostgresIntakeOptions>): Promise<Intake>;
  /** Returns all rows of all tables of intakes. */
  dump(): string;
  /** Returns the names of the tables of uuids. */
  uuidTables(): readonly string[];
}

let schemas = 0;

export async function createSchema(server: PostgresServer): Promise<IntakeSchema> {
  const name = `loaders_${++schemas}`;
  await migrate(server, name);
  await migrateLeases(server, name);
  const opened = new AsyncDisposableStack();
  const tables = `FROM information_schema.tables WHERE table_schema = '${name}'`;
  const rows =
    "query_to_xml(format('SELECT * FROM %I.%I t ORDER BY t::text', table_schema, table_name), true, false, '')";
  return {
    name,
    open: async (options) =>
      opened.use(await openPostgresIntake({ url: server.url, schema: name, spool: 1, ...options })),
    dump: () =>
      server.query(
        `SELECT string_agg(table_name || ${rows}, '' ORDER BY table_name) ${tables} AND table_name LIKE 'intake%'`,
      ),
    uuidTables: () =>
      server
        .query(`SELECT table_name ${tables} AND table_name LIKE 'intake_uuids%' ORDER BY table_name`)
        .split("\n"),
    async [Symbol.asyncDispose]() {
      await opened.disposeAsync();
      server.query(`DROP SCHEMA ${name} CASCADE`);
    },
  };
}

/** Uses ids of all kinds in a batch that is not committed. */
export async function beginWith(
  intake: Intake,
  at: number,
  ids: readonly string[],
): Promise<readonly number[]> {
  await intake.begin(place(at), keysOf(ids));
  for (const id of ids) {
    intake.claimUuid(1, id, 1_000_000);
    intake.claimFirstCheck(1, "open", id);
  }
  return ids.map((id) => intake.resolve(1, id, id).userId);
}
