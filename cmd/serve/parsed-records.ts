import type { KeepRecords } from "../../services/parser/parser.ts";
import type { RecordSink } from "../../store/records/records.ts";
import type { Config } from "../config/config.ts";
import type { EventServices } from "./event/event.ts";

type Sinks = Pick<EventServices, "sinkOf">;

/** Where the records of the Parser go when `parser.store` says so. */
export function keepOfParser({ parser }: Config, { sinkOf }: Sinks): KeepRecords | undefined {
  return parser.store && sinkOf(parser.store.project).append;
}

/**
 * Clicks that are not forwarded are events of the project that has their appid
 * or, where they have none, of the only one.
 */
export function sinkOfClicks(
  { webhook: { clicks }, projects }: Config,
  { sinkOf }: Sinks,
): Pick<RecordSink, "append"> | undefined {
  if (clicks.forward !== undefined) return undefined;
  const named = projects.find(({ appids }) => clicks.appid !== undefined && appids.includes(clicks.appid));
  const only = clicks.appid === undefined && projects.length === 1 ? projects[0] : undefined;
  const project = named ?? only;
  return project && sinkOf(project.id);
}
