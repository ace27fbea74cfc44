import type { StoreFaults } from "../../sql/faults.ts";
import { readClock, saveClock } from "../../sql/persistent-clock.ts";
import {
  ChannelsFullError,
  ChannelsOpenError,
  ChannelsUnavailableError,
  PageCursorError,
} from "../channels.ts";
import { claimDueTask, startRun } from "./begin-run.ts";
import { createChannel, deleteChannel, findChannel, listChannels, updateChannel } from "./channel-rows.ts";
import { cancelTask, failRun } from "./end-run.ts";
import { beginBatches, busyChannels, expireLeases, extendBatches, leaseBatches } from "./lease.ts";
import { listBatches } from "./list-batches.ts";
import {
  appendBatches,
  extendPreparation,
  leasePreparation,
  readAudience,
  releasePreparation,
} from "./prepare.ts";
import { prune } from "./prune.ts";
import { findRun } from "./run-rows.ts";
import { settleBatches } from "./settle.ts";
import { leaveRate, shareRate } from "./shares.ts";
import { statistics } from "./tallies.ts";
import { createTask, dueTasks, findTask, listTasks } from "./task-rows.ts";

/**
 * The operations of the channel store, by name, each in the file it is imported from. `sql-channels.ts`
 * implements the port by calling them through an executor.
 */
export const operations = {
  appendBatches,
  beginBatches,
  busyChannels,
  cancelTask,
  claimDueTask,
  createChannel,
  createTask,
  deleteChannel,
  dueTasks,
  extendBatches,
  extendPreparation,
  failRun,
  findChannel,
  findRun,
  findTask,
  expireLeases,
  saveClock,
  leaseBatches,
  leasePreparation,
  leaveRate,
  listBatches,
  listChannels,
  listTasks,
  prune,
  readAudience,
  readClock,
  releasePreparation,
  settleBatches,
  shareRate,
  startRun,
  statistics,
  updateChannel,
} as const;

export type ChannelsOperations = typeof operations;

export const channelFaults: StoreFaults = {
  noun: "channel store",
  ifNotDurable: "a crash would send batches again",
  ifDamaged: "restore it, or move it away to start with an empty one",
  OpenError: ChannelsOpenError,
  UnavailableError: ChannelsUnavailableError,
  FullError: ChannelsFullError,
  requestErrors: [PageCursorError, RangeError],
};
