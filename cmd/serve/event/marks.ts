import { openMarkFile } from "../../../base/files/mark-file.ts";
import type { EventStore } from "../../../store/events/events.ts";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../terminal/user-error.ts";
import {
  describeLosses,
  type EventsMark,
  eventMarkPaths,
  findEventLosses,
  firstSpoolFile,
  noEventsMark,
} from "./losses.ts";
import { eventFolders } from "./store.ts";

/** Keeps what is known of the store of events apart from it. */
export interface EventMarks extends Disposable {
  /** The mark of the spool, see RecordSpoolOptions. */
  readonly spool: string;
  /** Loads into the store, and notes how far that went. */
  readonly load: EventStore["load"];
  /** Notes that files of the spool are deleted. */
  readonly releasing: (firstKept: number) => void;
}

/**
 * Compares the data folder with its marks. The spool must not be open yet.
 * @param changed told of what is not as it was left, without a loss
 * @throws UserError when events that were acknowledged are missing
 */
export async function openEventMarks(
  config: Pick<Config, "data">,
  store: EventStore,
  changed: (words: string) => void,
): Promise<EventMarks> {
  const losses = await findEventLosses(config, { loadedTo: store.loadedTo() });
  if (losses.lost.length > 0) throw new UserError(describeLosses(losses));
  for (const words of losses.changed) changed(words);
  const paths = eventMarkPaths(config);
  const firstKept = await firstSpoolFile(eventFolders(config).spool);
  const file = openMarkFile<EventsMark>(paths.store);
  let known = file.found ?? { ...noEventsMark, firstKept };
  const note = (news: Partial<EventsMark>): void => {
    known = { ...known, ...news };
    file.write(known);
  };
  note({ loadedTo: store.loadedTo() });
  return {
    spool: paths.spool,
    releasing: (kept) => note({ firstKept: kept }),
    async load(batch) {
      const counts = await store.load(batch);
      note({ loadedTo: store.loadedTo() });
      return counts;
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}
