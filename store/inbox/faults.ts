import type { StoreFaults } from "../sql/faults.ts";
import { InboxFullError, InboxOpenError, InboxUnavailableError, PageCursorError } from "./inbox.ts";

export const inboxFaults: StoreFaults = {
  noun: "inbox",
  ifNotDurable: "a crash would lose accepted batches",
  ifDamaged: "restore it, or move it away to start with an empty one",
  OpenError: InboxOpenError,
  UnavailableError: InboxUnavailableError,
  FullError: InboxFullError,
  requestErrors: [PageCursorError, RangeError],
};
