import type { IntakeKeys } from "../../../store/intake/intake.ts";
import { isObject } from "./convert.ts";
import { readId, readRoot } from "./root.ts";

/** The keys of one project, to which keys are added. */
interface OpenKeys {
  readonly accountIds: string[];
  readonly distinctIds: string[];
  readonly uuids: string[];
  readonly firstCheckIds: Map<string, Set<string>>;
}

/** The ids of a record which has no first check. */
export interface RecordIds {
  readonly accountId: string | undefined;
  readonly distinctId: string | undefined;
  readonly uuid: string | undefined;
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
    const id = readId(firstCheckId);
    if (typeof id === "string") ids.add(id);
  }

  /** Adds ids as the rules have read them. */
  addIds(projectId: number, { accountId, distinctId, uuid }: RecordIds): void {
    const keys = this.#of(projectId);
    if (accountId !== undefined) keys.accountIds.push(accountId);
    if (distinctId !== undefined) keys.distinctIds.push(distinctId);
    if (uuid !== undefined) keys.uuids.push(uuid);
  }

  #of(projectId: number): OpenKeys {
    const known = this.#keys.get(projectId);
    if (known !== undefined) return known;
    const open: OpenKeys = { accountIds: [], distinctIds: [], uuids: [], firstCheckIds: new Map() };
    this.#keys.set(projectId, open);
    return open;
  }
}

function addId(ids: string[], value: unknown): void {
  const id = readId(value);
  if (typeof id === "string") ids.push(id);
}
