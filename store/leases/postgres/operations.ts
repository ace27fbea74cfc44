import { readClock } from "../../sql/postgres/lease-clock.ts";
import { notify } from "../../sql/postgres/listener.ts";
import { first, type Operation, run, type Session } from "../../sql/query.ts";

export type Acquisition =
  | { readonly kind: "acquired"; readonly token: number }
  /** Another process holds the lease for this time at least, unless it releases it. */
  | { readonly kind: "held"; readonly leftMs: number };

export interface AcquireRequest {
  readonly name: string;
  /** Identifies the process. It may take a lease again which it does not remember, or has given up. */
  readonly holder: string;
  readonly leaseMs: number;
}

export interface RenewRequest {
  readonly name: string;
  readonly token: number;
  readonly leaseMs: number;
}

export interface ReleaseRequest {
  readonly name: string;
  readonly token: number;
  /** Processes which listen to this channel are notified of the name. */
  readonly channel: string;
}

interface LeaseRow {
  readonly token: number;
  readonly holder: string;
  readonly until_ms: number;
}

const selectLease = "SELECT token, holder, until_ms FROM {leases} WHERE name = $1";

/** Acquires a lease which is free by the clock of the database. */
export function* acquire(
  { dialect }: Session,
  { name, holder, leaseMs }: AcquireRequest,
): Operation<Acquisition> {
  // The row is not locked, since the holder's transactions would wait for those of all waiting processes.
  const seen = yield* first<LeaseRow>(selectLease, name);
  const seenMs = yield* readClock();
  if (seen !== null && isHeld(seen, holder, seenMs)) return { kind: "held", leftMs: seen.until_ms - seenMs };
  yield* run(
    "INSERT INTO {leases} (name, token, holder, until_ms) VALUES ($1, 0, '', 0) ON CONFLICT (name) DO NOTHING",
    name,
  );
  const row = (yield* first<LeaseRow>(`${selectLease} ${dialect.forUpdate}`, name))!;
  const nowMs = yield* readClock();
  if (isHeld(row, holder, nowMs)) return { kind: "held", leftMs: row.until_ms - nowMs };
  yield* run(
    "UPDATE {leases} SET token = token + 1, holder = $1, until_ms = $2 WHERE name = $3",
    holder,
    Math.round(nowMs + leaseMs),
    name,
  );
  return { kind: "acquired", token: row.token + 1 };
}

/** Extends a lease by the clock of the database. Returns false when another process has acquired it. */
export function* renew(_session: Session, { name, token, leaseMs }: RenewRequest): Operation<boolean> {
  const nowMs = yield* readClock();
  const renewed = yield* first(
    "UPDATE {leases} SET until_ms = $1 WHERE name = $2 AND token = $3 RETURNING token",
    Math.round(nowMs + leaseMs),
    name,
    token,
  );
  return renewed !== null;
}

/** Ends a lease, unless another process has acquired it, and notifies waiting processes. */
export function* release(_session: Session, { name, token, channel }: ReleaseRequest): Operation<void> {
  yield* run("UPDATE {leases} SET holder = '', until_ms = 0 WHERE name = $1 AND token = $2", name, token);
  yield* notify(channel, name);
}

/** Counts the leases whose names begin so and which some process holds. */
export function* count(_session: Session, prefix: string): Operation<number> {
  const nowMs = yield* readClock();
  const row = yield* first<{ held: number }>(
    "SELECT count(*) AS held FROM {leases} WHERE starts_with(name, $1) AND until_ms > $2",
    prefix,
    Math.ceil(nowMs),
  );
  return row!.held;
}

function isHeld(row: LeaseRow, holder: string, nowMs: number): boolean {
  return row.until_ms > nowMs && row.holder !== holder;
}

export const operations = { acquire, count, renew, release };
