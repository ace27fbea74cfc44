import { beginCohort, completeCohort } from "./cohorts.ts";
import { beginDeletion, deletionDone } from "./deletions.ts";
import { garbageBatches, garbageDeleted, watermarkAt } from "./garbage.ts";
import { abandonBatch, beginBatch, completeBatch, loadedTo } from "./load.ts";
import {
  beginMove,
  beginMovedPart,
  completeMovedPart,
  finishMove,
  movedParts,
  moveProgress,
  removeMovedParts,
  setMovedNames,
} from "./moves.ts";
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
  beginDeletion,
  beginMove,
  beginMovedPart,
  beginRemoval,
  completeBatch,
  completeCohort,
  completeMovedPart,
  countEvents,
  deletionDone,
  dropDays,
  droppedBefore,
  droppedDeleted,
  finishMove,
  garbageBatches,
  garbageDeleted,
  loadedTo,
  movedParts,
  moveProgress,
  readDays,
  readHead,
  readHeads,
  readState,
  removalDone,
  removeMovedParts,
  setMovedNames,
  settleDay,
  storeName,
  unfinishedRemoval,
  watermarkAt,
};

export type LedgerOperations = typeof operations;
