import type { IntakeKeys } from "../../../store/intake/intake.ts";
import { isObject } from "./convert.ts";
import { readId, readRoot } from "./root.ts";

/** The keys of one project, to which keys are added. */
interface OpenKeys {
  readonly accountIds: Set<string>;
  readonly distinctIds: Set<string>;
  readonly uuids: Set<string>;
  readonly firstCheckIds: Map<string, Set<string>>;
}

/**
 * Collects the keys of records for an intake. It reads ids as `checkRecord` does and checks nothing else, so all ids of
 * accepted records are among the keys, whatever the rules accept.
 */
export class KeyCollector {
  readonly #keys = new Map<number, OpenKeys>();

  /** The keys of the records so far. */
  get keys(): IntakeKeys {
    return this.#keys;
  }

  /** @param record as `parseWithBigInts` reads it */
  add(projectId: number, record: unknown): void {
    if (!isObject(record)) return;
    const root = readRoot(record);
    const keys = this.#of(projectId);
    addId(keys.accountIds, root.accountId);
    addId(keys.distinctIds, root.distinctId);
    addId(keys.uuids, root.uuid);
    const { eventName, firstCheckId } = root;
    if (typeof eventName !== "string" || firstCheckId === undefined) return;
    const ids = keys.firstCheckIds.get(eventName) ?? new Set();
    keys.firstCheckIds.set(eventName, ids);
    addId(ids, firstCheckId);
  }

  #of(projectId: number): OpenKeys {
    const known = this.#keys.get(projectId);
    if (known !== undefined) return known;
    const keys = { accountIds: new Set<string>(), distinctIds: new Set<string>(), uuids: new Set<string>() };
    const open: OpenKeys = { ...keys, firstCheckIds: new Map() };
    this.#keys.set(projectId, open);
    return open;
  }
}

function addId(ids: Set<string>, value: unknown): void {
  const id = readId(value);
  if (typeof id === "string") ids.add(id);
}
