import { Code, ConnectError } from "@connectrpc/connect";
import { compileToInstant } from "../../base/time/zone.ts";
import type { NameLimits } from "./record/name-book.ts";

/** A project as the configuration has it. */
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
  /** Properties of events, and as many of users, that it may have. */
  readonly maxProperties: number;
  /** Default: any name may be new. */
  readonly names?: NameLimits | undefined;
}

export interface ProjectDirectory {
  byAppid(appid: string): Project | undefined;
  byId(id: bigint): Project | undefined;
}

/** Where two projects have the same app id, the first has it. */
export function createProjectDirectory(
  projects: readonly CollectorProject[],
  maxProperties: number,
  names?: NameLimits,
): ProjectDirectory {
  const byId = new Map<bigint, Project>();
  const byAppid = new Map<string, Project>();
  for (const { id, appids, zone } of projects) {
    const project = { id, toInstant: compileToInstant(zone), maxProperties, names };
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
