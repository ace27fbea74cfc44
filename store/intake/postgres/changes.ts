import { dayMs } from "../../../base/time/units.ts";
import type { RestoredUser } from "../intake.ts";
import type { Batch, BatchProject } from "./batch.ts";
import type { IdRow } from "./batch-ids.ts";
import type { BatchUuids } from "./batch-uuids.ts";
import { chunksOf, integers, packTexts } from "./packed-texts.ts";
import { hashBytes } from "./uuid-hash.ts";
import type { UuidRows } from "./uuid-tables.ts";
import type { IdRows, ProjectChanges } from "./write-batch.ts";

/** Users which are added unless they exist, by project. */
export type RestoredUsers = ReadonlyMap<number, readonly RestoredUser[]>;

/** Returns the changes of a batch to projects. */
export function projectChanges(
  projects: ReadonlyMap<number, BatchProject>,
  restored: RestoredUsers,
): readonly ProjectChanges[] {
  const ids = new Set([...projects.keys(), ...restored.keys()]);
  return Array.from(ids, (projectId) =>
    changesOf(projectId, projects.get(projectId), restored.get(projectId) ?? []),
  );
}

function changesOf(
  projectId: number,
  project: BatchProject | undefined,
  restored: readonly RestoredUser[],
): ProjectChanges {
  let users = project?.users ?? 0;
  for (const { userId } of restored) users = Math.max(users, userId);
  const accounts = new Map<string, IdRow>();
  const visitors = new Map<string, IdRow>();
  for (const { userId, accountId, distinctId, hasAccount } of restored) {
    const account = accountId?.toWellFormed();
    const visitor = distinctId?.toWellFormed();
    if (account !== undefined && !accounts.has(account))
      accounts.set(account, { id: account, userId, isBound: false, isNew: false });
    if (visitor !== undefined && !visitors.has(visitor))
      visitors.set(visitor, { id: visitor, userId, isBound: hasAccount, isNew: false });
  }
  const changed = project?.visitors.changed() ?? [];
  return {
    projectId,
    users,
    accounts: rowsOf(project?.accounts.changed() ?? []),
    newVisitors: rowsOf(changed.filter(({ isNew }) => isNew)),
    boundVisitors: rowsOf(changed.filter(({ isNew }) => !isNew)),
    restoredAccounts: rowsOf([...accounts.values()]),
    restoredVisitors: rowsOf([...visitors.values()]),
    firstChecks: [...firstChecksOf(project)],
  };
}

function rowsOf(rows: readonly IdRow[]): readonly IdRows[] {
  return Array.from(chunksOf(rows), (chunk) => ({
    ids: packTexts(chunk.map(({ id }) => id)),
    users: integers(chunk.map(({ userId }) => userId)),
    bounds: integers(chunk.map(({ isBound }) => (isBound ? 1 : 0))),
  }));
}

function* firstChecksOf(project: BatchProject | undefined): Generator<ProjectChanges["firstChecks"][number]> {
  const byEvent = Map.groupBy(project?.newFirstChecks ?? [], ({ event }) => event);
  for (const [event, checks] of byEvent) {
    for (const chunk of chunksOf(checks)) yield { event, ids: packTexts(chunk.map(({ id }) => id)) };
  }
}

/** Returns the claims of a batch by the day of their time. */
export function uuidChanges({ projects }: Pick<Batch, "projects">): readonly UuidRows[] {
  const byDay = new Map<number, ClaimedUuid[]>();
  for (const { uuids } of projects.values()) {
    for (const at of uuids.claimed) {
      const timeMs = uuids.timeOf(at);
      const day = Math.floor(timeMs / dayMs);
      const claims = byDay.get(day);
      if (claims === undefined) byDay.set(day, [{ uuids, at, timeMs }]);
      else claims.push({ uuids, at, timeMs });
    }
  }
  return Array.from(byDay, ([day, claims]) => {
    const hashes = Buffer.allocUnsafe(claims.length * hashBytes);
    let to = 0;
    for (const { uuids, at } of claims)
      to += uuids.hashes.copy(hashes, to, at * hashBytes, (at + 1) * hashBytes);
    return { day, hashes, times: integers(claims.map(({ timeMs }) => Math.round(timeMs))) };
  });
}

interface ClaimedUuid {
  readonly uuids: BatchUuids;
  readonly at: number;
  readonly timeMs: number;
}
