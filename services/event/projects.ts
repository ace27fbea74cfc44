import { Code, ConnectError } from "@connectrpc/connect";
import { compileToInstant } from "../../base/time/zone.ts";
import { createRecordShapes, type RecordShapes } from "./body/record-list.ts";
import type { NameLimits } from "./record/name-book.ts";

/** The configuration of a project. */
export interface CollectorProject {
  readonly id: number;
  readonly appids: readonly string[];
  /** An offset such as `+08:00`, or an IANA name. */
  readonly zone: string;
}

export interface Project {
  readonly id: number;
  /** See `compileToInstant`. */
  readonly toInstant: (localMs: number) => number;
  /** Limit of the properties of events, and of users. */
  readonly maxProperties: number;
  /** Limits of new names. Default: none. */
  readonly names?: NameLimits | undefined;
  /** Learned from its bodies. Default: none are kept. */
  readonly recordShapes?: RecordShapes | undefined;
}

export interface ProjectDirectory {
  byAppid(appid: string): Project | undefined;
  byId(id: bigint): Project | undefined;
}

/** Creates the directory of projects. An app id of two projects belongs to the first one. */
export function createProjectDirectory(
  projects: readonly CollectorProject[],
  maxProperties: number,
  names?: NameLimits,
): ProjectDirectory {
  const byId = new Map<bigint, Project>();
  const byAppid = new Map<string, Project>();
  for (const { id, appids, zone } of projects) {
    const recordShapes = createRecordShapes();
    const project = { id, toInstant: compileToInstant(zone), maxProperties, names, recordShapes };
    byId.set(BigInt(id), project);
    for (const appid of appids) {
      if (!byAppid.has(appid)) byAppid.set(appid, project);
    }
  }
  return { byId: (id) => byId.get(id), byAppid: (appid) => byAppid.get(appid) };
}

export function unknownProject(what: string): ConnectError {
  return new ConnectError(`${what} is not configured, see projects of the configuration`, Code.NotFound);
}
