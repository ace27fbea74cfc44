import { beginCohort, completeCohort } from "./cohorts.ts";
import { garbageBatches, garbageDeleted, watermarkAt } from "./garbage.ts";
import { abandonBatch, beginBatch, completeBatch, loadedTo } from "./load.ts";
import { readHead, readHeads, readState, storeName } from "./state.ts";
import {
  beginRemoval,
  countEvents,
  dropDays,
  droppedBefore,
  droppedDeleted,
  readDays,
  removalDone,
  settleDay,
  unfinishedRemoval,
} from "./upkeep.ts";

/** The operations of the ledger, by name, each in the file it is imported from. */
export const operations = {
  abandonBatch,
  beginBatch,
  beginCohort,
  beginRemoval,
  completeBatch,
  completeCohort,
  countEvents,
  dropDays,
  droppedBefore,
  droppedDeleted,
  garbageBatches,
  garbageDeleted,
  loadedTo,
  readDays,
  readHead,
  readHeads,
  readState,
  removalDone,
  settleDay,
  storeName,
  unfinishedRemoval,
  watermarkAt,
};

export type LedgerOperations = typeof operations;
