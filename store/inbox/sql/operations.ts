import { accept } from "./accept.ts";
import { counts } from "./books.ts";
import { listDeadLetters } from "./dead-letters.ts";
import { findDelivery, listDeliveries } from "./deliveries.ts";
import { complete, release, replyOf } from "./finish.ts";
import { extend, lease } from "./lease.ts";
import { oldestPending, prune } from "./prune.ts";
import type { Operation, Session } from "./query.ts";
import { replay } from "./replay.ts";
import { settle } from "./settle.ts";

/** All that can be asked of a database, by name: a request to a worker thread is a name and its arguments. */
export const operations = {
  accept,
  complete,
  counts,
  extend,
  findDelivery,
  lease,
  listDeadLetters,
  listDeliveries,
  oldestPending,
  prune,
  release,
  replay,
  replyOf,
  settle,
} as const;

export type OperationName = keyof typeof operations;

/** The arguments behind the session. */
export type Arguments<N extends OperationName> =
  Parameters<(typeof operations)[N]> extends readonly [Session, ...infer Rest] ? Rest : never;

export type Outcome<N extends OperationName> =
  ReturnType<(typeof operations)[N]> extends Operation<infer T> ? T : never;

export function start<N extends OperationName>(
  name: N,
  session: Session,
  args: Arguments<N>,
): Operation<Outcome<N>> {
  const operation = operations[name] as unknown as (
    session: Session,
    ...rest: Arguments<N>
  ) => Operation<Outcome<N>>;
  return operation(session, ...args);
}
