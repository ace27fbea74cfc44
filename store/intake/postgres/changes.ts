import type { RestoredUser } from "../intake.ts";
import type { Batch, BatchProject } from "./batch.ts";
import type { IdRow } from "./batch-ids.ts";
import { chunksOf, integers, packTexts } from "./packed-texts.ts";
import { claimBytes, type UuidBatch } from "./uuid-batches.ts";
import { hashBytes } from "./uuid-hash.ts";
import type { IdRows, ProjectChanges } from "./write-batch.ts";

/** Users which are added unless they exist, by project. */
export type RestoredUsers = ReadonlyMap<number, readonly RestoredUser[]>;

/** Returns the changes of a batch to projects, of those that it changes. */
export function projectChanges(
  projects: ReadonlyMap<number, BatchProject>,
  restored: RestoredUsers,
): readonly ProjectChanges[] {
  const ids = new Set([...projects.keys(), ...restored.keys()]);
  const changes = Array.from(ids, (projectId) =>
    changesOf(projectId, projects.get(projectId), restored.get(projectId) ?? []),
  );
  const isChanged = ({ projectId, users, ...rows }: ProjectChanges): boolean =>
    users !== projects.get(projectId)?.usersBefore || Object.values(rows).some(({ length }) => length > 0);
  return changes.filter(isChanged);
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

/** Returns the claims of a batch; undefined when it has no uuids. */
export function uuidBatchOf({ seq, projects, firstMs, lastMs }: Batch): UuidBatch | undefined {
  if (firstMs === undefined || lastMs === undefined) return undefined;
  const all = Array.from(projects.values(), ({ uuids }) => uuids);
  const count = all.reduce((sum, { claimed }) => sum + claimed.length, 0);
  const claims = Buffer.allocUnsafeSlow(count * claimBytes);
  let hashTo = 0;
  let timeTo = count * hashBytes;
  for (const uuids of all) {
    for (const at of uuids.claimed) timeTo = claims.writeDoubleLE(Math.round(uuids.timeOf(at)), timeTo);
    for (const [from, to] of rangesOf(uuids.claimed))
      hashTo += uuids.hashes.copy(claims, hashTo, from * hashBytes, to * hashBytes);
  }
  return { seq, firstMs: Math.floor(firstMs), lastMs: Math.ceil(lastMs), claims };
}

/** Divides positions into ranges of consecutive ones. */
function* rangesOf(positions: readonly number[]): Generator<readonly [from: number, to: number]> {
  for (let first = 0, at = 1; first < positions.length; at++) {
    if (positions[at] === positions[at - 1]! + 1) continue;
    yield [positions[first]!, positions[at - 1]! + 1];
    first = at;
  }
}
