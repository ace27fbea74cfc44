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

/** Records the state of the event store outside of it. */
export interface EventMarks extends Disposable {
  /** The path of the mark of the spool, see RecordSpoolOptions. */
  readonly spool: string;
  /** Loads a batch into the store, and records the place up to which it has loaded. */
  readonly load: EventStore["load"];
  /** Records that files of the spool will be deleted. */
  readonly releasing: (firstKept: number) => void;
}

/**
 * Compares the data folder with its marks. The spool must not be open yet.
 * @param changed called with a description of a change that is no loss
 * @throws UserError if acknowledged events are missing
 */
export async function openEventMarks(
  config: Pick<Config, "data">,
  store: EventStore,
  changed: (description: string) => void,
): Promise<EventMarks> {
  const losses = await findEventLosses(config, { loadedTo: store.loadedTo() });
  if (losses.lost.length > 0) throw new UserError(describeLosses(losses));
  for (const description of losses.changed) changed(description);
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
    releasing: (firstFile) => note({ firstKept: firstFile }),
    async load(batch) {
      const counts = await store.load(batch);
      note({ loadedTo: store.loadedTo() });
      return counts;
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}
