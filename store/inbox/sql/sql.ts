import type { StoreFaults } from "../../sql/faults.ts";
import { readClock, saveClock } from "../../sql/persistent-clock.ts";
import { InboxFullError, InboxOpenError, InboxUnavailableError, PageCursorError } from "../inbox.ts";
import { accept } from "./accept.ts";
import { addAttempts } from "./attempts.ts";
import { findBatch, listBatches } from "./batches.ts";
import { begin } from "./begin.ts";
import { counts } from "./counts.ts";
import { groupDeadLetters, listDeadLetters } from "./dead-letters.ts";
import { findDelivery, listDeliveries } from "./deliveries.ts";
import { complete, release, replyOf } from "./finish.ts";
import { expireLeases, extend, lease } from "./lease.ts";
import { oldestPending, prune } from "./prune.ts";
import { replay } from "./replay.ts";
import { settle, settleAll } from "./settle.ts";
import { leaveRate, shareRate } from "./shares.ts";

/**
 * The operations of the inbox, by name, each in the file it is imported from. `sql-inbox.ts` implements
 * the port by calling them through an executor. `rows/` reads and writes the rows of bodies and work
 * that several operations share.
 */
export const operations = {
  accept,
  addAttempts,
  begin,
  complete,
  counts,
  extend,
  findBatch,
  findDelivery,
  expireLeases,
  groupDeadLetters,
  saveClock,
  lease,
  leaveRate,
  listBatches,
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

export const inboxFaults: StoreFaults = {
  noun: "inbox",
  ifNotDurable: "a crash would lose accepted batches",
  ifDamaged: "restore it, or move it away to start with an empty one",
  OpenError: InboxOpenError,
  UnavailableError: InboxUnavailableError,
  FullError: InboxFullError,
  requestErrors: [PageCursorError, RangeError],
};
