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

  function othersOf(owner: LockOwner, key: string, mode: RowLock): readonly LockOwner[] {
    const all = held.get(key);
    if (all === undefined) return [];
    return [...all].flatMap(([other, own]) => (other !== owner && conflicts[mode].has(own) ? [other] : []));
  }
  return {
    take(owner, key, mode) {
      const others = othersOf(owner, key, mode);
      if (others.length > 0) return others;
      const all = held.get(key) ?? new Map<LockOwner, RowLock>();
      const before = all.get(owner);
      if (before === undefined || strength.indexOf(before) < strength.indexOf(mode)) all.set(owner, mode);
      held.set(key, all);
      owner.locked.add(key);
      return [];
    },
    isFree: (owner, key, mode) => othersOf(owner, key, mode).length === 0,
    releaseAll(owner) {
      for (const key of owner.locked) {
        const all = held.get(key)!;
        all.delete(owner);
        if (all.size === 0) held.delete(key);
      }
      owner.locked.clear();
    },
  };
}

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
