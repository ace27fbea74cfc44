import type { RateShareRequest, Share } from "../../base/async/rate-shares.ts";
import { giveShare, graceMs, type ShareRow, skewMs } from "./give-share.ts";
import { all, type Operation, run, type Session } from "./query.ts";
import { checkRange } from "./values.ts";

/** A table with the columns of `ShareRow` and a column which identifies the rate. */
export interface ShareTable {
  readonly table: string;
  readonly column: string;
}

/** One shared rate of a table. */
export interface StoredRate extends ShareTable {
  readonly value: string | number;
  /** The name that transactions on this rate lock. */
  readonly lock: string;
}

/** A process's request for its share of a rate. */
export interface ShareRequest extends Omit<RateShareRequest, "token"> {
  readonly key: number;
  /** The current time by the lease clock. */
  readonly atMs: number;
}

/**
 * How long requests of a process that has ended may still count at the receiver: a window of a second, and 100 ms for
 * the last request to arrive.
 */
const previousProcessMs = 1_100;
const maxLeaseMs = 60_000;
const maxPerSecond = 10_000;

/** Computes and stores the share of a process; deletes its row when it neither has nor wants one. */
export function* shareRate(
  session: Session,
  rate: StoredRate,
  sharing: ShareRequest,
): Operation<Omit<Share, "token">> {
  yield* lockShares(session, rate);
  const rows = yield* all<ShareRow>(
    `SELECT share_key, per_second, held, wanted, until_ms FROM ${rate.table} WHERE ${rate.column} = $1`,
    rate.value,
  );
  const { share, own, changed, expired } = giveShare(rows, sharing.key, sharing, sharing.atMs);
  const isUnused = own.held === 0 && own.wanted === 0;
  for (const one of isUnused ? [...expired, sharing.key] : expired) yield* remove(rate, one);
  for (const row of isUnused ? changed : [...changed, own]) yield* write(rate, row);
  return share;
}

/**
 * Releases the share of a process.
 * @param afterMs the time until the process's last requests are in no window any more; 0 deletes the
 * share at once
 */
export function* leaveRate(
  session: Session,
  rate: StoredRate,
  { key, atMs }: Pick<ShareRequest, "key" | "atMs">,
  afterMs: number,
): Operation<void> {
  yield* lockShares(session, rate);
  if (afterMs === 0) {
    yield* remove(rate, key);
    return;
  }
  yield* run(
    `UPDATE ${rate.table} SET wanted = 0, until_ms = $1 WHERE ${rate.column} = $2 AND share_key = $3`,
    atMs + afterMs + skewMs - graceMs,
    rate.value,
    key,
  );
}

/**
 * Expires all shares of a store which one process owns: they belong to a process that has ended,
 * perhaps with another clock.
 */
export function* expireShares({ table }: ShareTable, atMs: number): Operation<void> {
  yield* run(`UPDATE ${table} SET wanted = 0, until_ms = $1`, atMs + previousProcessMs - graceMs);
}

/** @throws RangeError that names the field */
export function checkShareRequest({ perSecond, held, wanted, leaseMs }: RateShareRequest): void {
  checkRange("perSecond", perSecond, 1, maxPerSecond);
  checkRange("held", held, 0, maxPerSecond);
  checkRange("wanted", wanted, 0, maxPerSecond);
  checkRange("leaseMs", leaseMs, 1, maxLeaseMs);
}

/** @throws RangeError */
export function checkAfterMs(afterMs: number): void {
  checkRange("afterMs", afterMs, 0, maxLeaseMs);
}

/** Encodes the key of a share as its token. */
export function encodeShare(key: number): string {
  return key.toString(36);
}

/** @throws RangeError unless the token is one that `encodeShare` returns */
export function decodeShare(token: string): number {
  if (!/^[0-9a-z]{1,10}$/.test(token)) throw new RangeError(`token is "${token}", not one of a share`);
  return Number.parseInt(token, 36);
}

function* lockShares({ dialect }: Session, { lock }: StoredRate): Operation<void> {
  if (dialect.lockName !== null) yield* run(dialect.lockName, lock);
}

function* remove({ table, column, value }: StoredRate, key: number): Operation<void> {
  yield* run(`DELETE FROM ${table} WHERE ${column} = $1 AND share_key = $2`, value, key);
}

function* write({ table, column, value }: StoredRate, row: ShareRow): Operation<void> {
  yield* run(
    `INSERT INTO ${table} (${column}, share_key, per_second, held, wanted, until_ms)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (${column}, share_key) DO UPDATE SET per_second = excluded.per_second,
       held = excluded.held, wanted = excluded.wanted, until_ms = excluded.until_ms`,
    value,
    row.share_key,
    row.per_second,
    row.held,
    row.wanted,
    row.until_ms,
  );
}
