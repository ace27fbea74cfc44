import type { StoreFaults } from "../sql/faults.ts";
import {
  ChannelsFullError,
  ChannelsOpenError,
  ChannelsUnavailableError,
  PageCursorError,
} from "./channels.ts";

export const channelFaults: StoreFaults = {
  noun: "channel store",
  ifNotDurable: "a crash would send batches again",
  ifDamaged: "restore it, or move it away to start with an empty one",
  OpenError: ChannelsOpenError,
  UnavailableError: ChannelsUnavailableError,
  FullError: ChannelsFullError,
  requestErrors: [PageCursorError, RangeError],
};
