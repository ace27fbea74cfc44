import type { RowLock } from "./translate.ts";

/** Holds or waits for locks: a transaction. */
export interface LockOwner {
  /** The keys of its locks. */
  readonly locked: Set<string>;
  /** The owners it waits for. */
  readonly waitsFor: Set<LockOwner>;
}

/** The locks of rows and names. */
export interface Locks {
  /** Takes a lock, or returns the owners whose locks are in conflict with it. */
  take(owner: LockOwner, key: string, mode: RowLock): readonly LockOwner[];
  isFree(owner: LockOwner, key: string, mode: RowLock): boolean;
  /** Reports whether any row of a table is locked. */
  isAnyLocked(table: string): boolean;
  releaseAll(owner: LockOwner): void;
}

const conflicts: Readonly<Record<RowLock, ReadonlySet<RowLock>>> = {
  keyShare: new Set(["update"]),
  noKeyUpdate: new Set(["noKeyUpdate", "update"]),
  update: new Set(["keyShare", "noKeyUpdate", "update"]),
};

/** A later mode includes the earlier ones. */
const strength: readonly RowLock[] = ["keyShare", "noKeyUpdate", "update"];

export function createLocks(): Locks {
  const held = new Map<string, Map<LockOwner, RowLock>>();
  /** The number of locked rows by table. */
  const counts = new Map<string, number>();

  function count(key: string, change: 1 | -1): void {
    const table = tableOf(key);
    counts.set(table, (counts.get(table) ?? 0) + change);
  }

  function othersOf(owner: LockOwner, key: string, mode: RowLock): readonly LockOwner[] {
    const all = held.get(key);
    if (all === undefined) return [];
    const others: LockOwner[] = [];
    for (const [other, own] of all) if (other !== owner && conflicts[mode].has(own)) others.push(other);
    return others;
  }
  return {
    take(owner, key, mode) {
      const others = othersOf(owner, key, mode);
      if (others.length > 0) return others;
      let all = held.get(key);
      if (all === undefined) {
        all = new Map();
        held.set(key, all);
        count(key, 1);
      }
      const before = all.get(owner);
      if (before === undefined || strength.indexOf(before) < strength.indexOf(mode)) all.set(owner, mode);
      owner.locked.add(key);
      return [];
    },
    isFree: (owner, key, mode) => othersOf(owner, key, mode).length === 0,
    isAnyLocked: (table) => (counts.get(table) ?? 0) > 0,
    releaseAll(owner) {
      for (const key of owner.locked) {
        const all = held.get(key)!;
        all.delete(owner);
        if (all.size > 0) continue;
        held.delete(key);
        count(key, -1);
      }
      owner.locked.clear();
    },
  };
}

/** Returns the table, or the other kind of name, of the key of a lock. */
export const tableOf = (key: string): string => key.slice(0, key.indexOf(" "));

/** Reports whether an owner waits, through others, for itself. */
export function isDeadlock(owner: LockOwner): boolean {
  const seen = new Set<LockOwner>();
  const open = [...owner.waitsFor];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === owner) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...next.waitsFor);
  }
  return false;
}
