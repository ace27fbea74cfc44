import { existsSync } from "node:fs";
import { type CopyCounts, countRows } from "../../sql/copy-tables.ts";
import { OccupiedError } from "../../sql/faults.ts";
import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { type RunQuery, runTransaction } from "../../sql/postgres/transaction.ts";
import { IntakeBehindError, IntakeOpenError, type IntakePlace } from "../intake.ts";
import { seqOf } from "../place.ts";
import { readMovedIntake } from "../sqlite/read-moved.ts";
import { intakeStore } from "./store.ts";

/** Rows of one statement. */
const rowsPerInsert = 5_000;
const statementTimeoutMs = 600_000;
/** Before all places of a new spool, so that nothing that is moved is undone by a rewind. */
const movedSeq = -1;
const tables = ["projects", "accounts", "visitors", "first_checks"] as const;

export interface MovedIntakeOptions {
  /** Uuids that were received this long before the last one are left out. */
  readonly uuidWindowMs: number;
  /** The end of what the event store has loaded, all of which the intake must have prepared. */
  readonly loadedTo: IntakePlace | undefined;
}

const ifBehind = "restore it, or rebuild it with engage store rebuild-intake";

type Column = readonly [name: string, type: string];

/**
 * Copies the intake of a data folder into empty tables, in one transaction. When they hold as many rows already, an
 * earlier copy was committed. The records of each project are in a spool of the same number from then on.
 * @throws OccupiedError, IntakeBehindError, IntakeOpenError, IntakeUnavailableError
 */
export async function moveIntake(
  path: string,
  connection: PostgresConnection & { readonly schema: string },
  { uuidWindowMs, loadedTo }: MovedIntakeOptions,
): Promise<CopyCounts> {
  if (!existsSync(path)) {
    if (loadedTo === undefined) return { rows: 0, isFound: false };
    throw new IntakeOpenError(`intake file ${JSON.stringify(path)} is missing: ${ifBehind}`);
  }
  using source = readMovedIntake(path);
  if (seqOf(loadedTo) > source.preparedSeq()) {
    const words = `intake file ${JSON.stringify(path)} does not know the last records of the event store`;
    throw new IntakeBehindError(`${words}: ${ifBehind}`);
  }
  return await runTransaction(intakeStore, { ...connection, statementTimeoutMs }, async (query) => {
    const found = await countRows(query, tables);
    const counts = source.counts();
    const rows = tables.reduce((sum, name) => sum + counts[name], 0);
    if (tables.every((name) => found.get(name) === counts[name])) return { rows, isFound: rows > 0 };
    const other = tables.find((name) => found.get(name)! > 0);
    if (other !== undefined) {
      const words = `${found.get(other)} rows, and the file ${JSON.stringify(path)} has ${counts[other]}`;
      throw new OccupiedError(`table intake_${other} has ${words}`);
    }
    await insert(query, "projects", source.projects(), [
      ["project", "bigint"],
      ["spool", "bigint"],
      ["users", "bigint"],
    ]);
    const ids: readonly Column[] = [
      ["project", "bigint"],
      ["id", "bytea"],
      ["user_id", "bigint"],
      ["seq", "bigint"],
    ];
    await insert(query, "accounts", source.accounts(movedSeq), ids);
    await insert(query, "visitors", source.visitors(movedSeq), [...ids, ["bound", "smallint"]]);
    await insert(query, "first_checks", source.firstChecks(movedSeq), [
      ["project", "bigint"],
      ["event", "bytea"],
      ["id", "bytea"],
      ["seq", "bigint"],
    ]);
    await moveUuids(query, source.uuids(uuidWindowMs));
    return { rows, isFound: false };
  });
}

/** The hashes of a file are the beginnings of those which are computed here, so they have a table of their own. */
async function moveUuids(
  query: RunQuery,
  uuids: Iterable<readonly [hash: Buffer, timeMs: number]>,
): Promise<void> {
  let latestMs: number | undefined;
  const seen = (function* () {
    for (const one of uuids) {
      latestMs = Math.max(latestMs ?? one[1], one[1]);
      yield one;
    }
  })();
  await insert(
    query,
    "moved_uuids",
    seen,
    [
      ["hash", "bytea"],
      ["time_ms", "bigint"],
    ],
    "ON CONFLICT (hash) DO UPDATE SET time_ms = EXCLUDED.time_ms",
  );
  if (latestMs === undefined) return;
  await query(
    `INSERT INTO {spools} (spool, prepared, version, moved_until_ms) SELECT project, NULL, 1, $1 FROM {projects}
     ON CONFLICT (spool) DO UPDATE SET moved_until_ms = EXCLUDED.moved_until_ms`,
    [latestMs],
  );
}

async function insert(
  query: RunQuery,
  table: string,
  rows: Iterable<readonly unknown[]>,
  columns: readonly Column[],
  onConflict = "",
): Promise<void> {
  const names = columns.map(([name]) => name).join(", ");
  const lists = columns.map(([, type], at) => `$${at + 1}::${type}[]`).join(", ");
  const sql = `INSERT INTO {${table}} (${names}) SELECT * FROM unnest(${lists}) ${onConflict}`;
  let group: (readonly unknown[])[] = [];
  const flush = async (): Promise<void> => {
    if (group.length === 0) return;
    await query(
      sql,
      columns.map((_column, at) => group.map((row) => row[at])),
    );
    group = [];
  };
  for (const row of rows) {
    group.push(row);
    if (group.length === rowsPerInsert) await flush();
  }
  await flush();
}
