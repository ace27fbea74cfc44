import { exactCountOf } from "../../../base/text/count.ts";
import { dayMs } from "../../../base/time/units.ts";
import type { LateClickHouseStore } from "../../../store/events/clickhouse/clickhouse.ts";
import type { StoreMover } from "../../../store/events/clickhouse/move/move.ts";
import { type Lease, LeaseLostError, type Leases } from "../../../store/leases/leases.ts";
import type { Config } from "../../config/config.ts";
import { startPartProgress } from "../../terminal/part-progress.ts";
import { UserError } from "../../terminal/user-error.ts";
import { keepFilesPrivate } from "../data/folder.ts";
import { asUserError } from "../data/user-errors.ts";
import { clickHouseOptions } from "../event/clickhouse.ts";
import { eventsDatabase } from "../shared/databases.ts";
import { compareStores } from "./compare.ts";
import { checkConfigs } from "./configs.ts";
import { type CopyReport, copyParts } from "./parts.ts";
import { type MoveStreams, openMoveSource, sourceName } from "./source.ts";
import { checkUnused, moveTables } from "./tables.ts";

export interface MoveOptions {
  /** The configuration with the data folder. */
  readonly from: Config;
  /** The configuration of the replicas. */
  readonly to: Config;
  readonly streams: MoveStreams;
  readonly signal: AbortSignal;
}

const leaseName = "move";
/** A move that was killed delays the next one until its lease ends. */
const waitMs = 30_000;

/**
 * Moves a data folder into the stores that replicas share. While a server runs on the folder, closed days are copied.
 * When none does, the rest is, and both stores are compared.
 *
 * `source.ts` opens the folder, or reads it through its server (`contents-socket.ts`). `parts.ts` copies the event
 * store,
 * `tables.ts` what PostgreSQL stores, and `compare.ts` compares.
 *
 * @returns the exit code: 1 when the stores differ
 * @throws UserError
 */
export async function moveStore({ from, to, streams, signal }: MoveOptions): Promise<number> {
  checkConfigs(from, to);
  keepFilesPrivate();
  const database = eventsDatabase(to)!;
  const [{ createPostgresLeases }, { openLateClickHouseStore }] = await Promise.all([
    import("../../../store/leases/postgres/open.ts"),
    import("../../../store/events/clickhouse/clickhouse.ts"),
  ]);
  return await asMoveError(async () => {
    await using leases = createPostgresLeases({ url: database.url, schema: database.schema });
    await using lease = await acquire(leases, signal);
    await using target = await openLateClickHouseStore(clickHouseOptions(to, database));
    await target.ready();
    const ended = AbortSignal.any([signal, lease.signal]);
    const mover = target.mover({ name: lease.name, token: lease.token, signal: ended });
    await begin(from, to, target, mover);
    await using source = await openMoveSource(from, streams, ended);
    const report = await copy(source.store !== undefined);
    streams.stdout.write(describeCopy(report));
    if (source.store === undefined) {
      streams.stdout.write("stop the server and run the same command again, which moves the rest\n");
      return 0;
    }
    for await (const line of moveTables(from, to, source.store.loadedTo())) streams.stdout.write(`${line}\n`);
    await target.refresh();
    const differences = await compareStores(source.store, target, ended);
    for (const line of differences.lines) streams.stdout.write(`${line}\n`);
    if (differences.count > 0) return 1;
    await mover.finish();
    streams.stdout.write("moved: start the replicas\n");
    return 0;

    async function copy(isStopped: boolean): Promise<CopyReport> {
      using progress = startPartProgress("rows", streams.stderr);
      const today = Math.floor(Date.now() / dayMs);
      const { reader } = source;
      return await copyParts({ reader, mover, isStopped, today, signal: ended, onProgress: progress.at });
    }
  });
}

/** @throws UserError instead of an error of a store, or of the lease */
async function asMoveError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await asUserError(work);
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    throw new UserError(`${error.message}: run the same command again`, { cause: error });
  }
}

async function acquire(leases: Leases, signal: AbortSignal): Promise<Lease> {
  const late = AbortSignal.timeout(waitMs);
  try {
    return await leases.acquire(leaseName, AbortSignal.any([signal, late]));
  } catch (error) {
    if (signal.aborted || !late.aborted) throw error;
    throw new UserError("another process moves a data folder into the stores of --to", { cause: error });
  }
}

async function begin(
  from: Config,
  to: Config,
  target: LateClickHouseStore,
  mover: StoreMover,
): Promise<void> {
  if ((await target.moveProgress()) === undefined) await checkUnused(from, to);
  const state = await mover.begin(sourceName(from));
  if (state === "begun") return;
  const reasons = {
    occupied: "the stores of --to hold other data: move into empty ones",
    other: "another data folder is being moved, or was moved, into the stores of --to",
    finished: "this data folder was moved already",
  } as const;
  throw new UserError(reasons[state]);
}

function describeCopy({ parts, rows, unchanged, left }: CopyReport): string {
  const copied = `${exactCountOf(rows, "row")} in ${exactCountOf(parts, "part")} copied`;
  return `${copied}, ${unchanged} unchanged, ${left} left until the server is stopped\n`;
}
