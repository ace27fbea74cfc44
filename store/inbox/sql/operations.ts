import { readClock, saveClock } from "../../sql/persistent-clock.ts";
import { accept } from "./accept.ts";
import { begin } from "./begin.ts";
import { counts } from "./books.ts";
import { listDeadLetters } from "./dead-letters.ts";
import { findDelivery, listDeliveries } from "./deliveries.ts";
import { complete, release, replyOf } from "./finish.ts";
import { extend, forgetLeases, lease } from "./lease.ts";
import { oldestPending, prune } from "./prune.ts";
import { replay } from "./replay.ts";
import { settle, settleAll } from "./settle.ts";
import { leaveRate, shareRate } from "./shares.ts";

/** All that can be asked of a database, by name: a request to a worker thread is a name and its arguments. */
export const operations = {
  accept,
  begin,
  complete,
  counts,
  extend,
  findDelivery,
  forgetLeases,
  saveClock,
  lease,
  leaveRate,
  listDeadLetters,
  listDeliveries,
  oldestPending,
  prune,
  readClock,
  release,
  replay,
  replyOf,
  settle,
  settleAll,
  shareRate,
} as const;

export type InboxOperations = typeof operations;
