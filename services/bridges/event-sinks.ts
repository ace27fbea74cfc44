import type { RecordSink } from "../../store/records/records.ts";

export type Append = RecordSink["append"];

/** Returns the sink of the events of a project. */
export type SinkOf = (projectId: number) => { readonly append: Append };

export interface ParserStore {
  /** Project that stores parsed records. */
  readonly project: number;
}

/** Returns the function that stores parsed records as events; undefined when they are not stored. */
export function parsedRecordsSink(store: ParserStore | undefined, sinkOf: SinkOf): Append | undefined {
  return store && sinkOf(store.project).append;
}

export interface ClickRouting {
  /** Set when clicks are forwarded instead of stored. */
  readonly forward?: object | undefined;
  readonly appid?: string | undefined;
}

export interface ClickProject {
  readonly id: number;
  readonly appids: readonly string[];
}

/**
 * Returns the function that stores clicks as events: of the project with their
 * appid or, without an appid, of the only project. Returns undefined when clicks
 * are forwarded or there is no such project.
 */
export function clickSink(
  { forward, appid }: ClickRouting,
  projects: readonly ClickProject[],
  sinkOf: SinkOf,
): Append | undefined {
  if (forward !== undefined) return undefined;
  const named = projects.find(({ appids }) => appid !== undefined && appids.includes(appid));
  const only = appid === undefined && projects.length === 1 ? projects[0] : undefined;
  const project = named ?? only;
  return project && sinkOf(project.id).append;
}

/**
 * Appends to the spool of clicks, then to the events. A click that the events
 * refuse is reported again by its caller, so the spool may hold it twice.
 */
export function appendToBoth(spool: Append, events: Append | undefined): Append {
  if (events === undefined) return spool;
  return async (record) => {
    await spool(record);
    await events(record);
  };
}
