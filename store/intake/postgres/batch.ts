import { type IdState, type KnownIds, type ProjectUsers, stateOf } from "../identity.ts";

/** What a batch has found out about its keys, and what it changes. */
export interface Batch {
  /** The place at which it begins. */
  readonly seq: number;
  readonly projects: Map<number, BatchProject>;
  /** The latest time of a uuid; undefined without one. */
  latestMs: number | undefined;
}

/** The keys of one project. A key which `begin` was not given is an error of the caller. */
export class BatchProject implements ProjectUsers {
  readonly accounts: BatchIds;
  readonly visitors: BatchIds;
  /** The time of the last claim of each uuid. */
  readonly uuids: Map<string, UuidClaim>;
  /** Whether each id is claimed, by event. */
  readonly firstChecks: Map<string, Map<string, boolean>>;
  /** The claims of this batch. */
  readonly newUuids: UuidClaim[] = [];
  readonly newFirstChecks: { readonly event: string; readonly id: string }[] = [];
  /** The number of users. */
  users: number;

  constructor(users: number, keys: Pick<BatchProject, "accounts" | "visitors" | "uuids" | "firstChecks">) {
    this.users = users;
    this.accounts = keys.accounts;
    this.visitors = keys.visitors;
    this.uuids = keys.uuids;
    this.firstChecks = keys.firstChecks;
  }

  addUser(): number {
    return ++this.users;
  }

  claimUuid(uuid: string, steadyMs: number, windowMs: number): boolean {
    const claim = this.uuids.get(uuid) ?? throwUnannounced("uuid");
    const { timeMs } = claim;
    if (timeMs !== undefined && Math.abs(steadyMs - timeMs) < windowMs) return false;
    claim.timeMs = steadyMs;
    if (!claim.isNew) this.newUuids.push(claim);
    claim.isNew = true;
    return true;
  }

  claimFirstCheck(event: string, id: string): boolean {
    const ids = this.firstChecks.get(event);
    const isClaimed = ids?.get(id) ?? throwUnannounced("first-check id");
    if (isClaimed) return false;
    ids!.set(id, true);
    this.newFirstChecks.push({ event, id });
    return true;
  }
}

export interface UuidClaim {
  timeMs: number | undefined;
  /** Whether this batch has claimed it. */
  isNew: boolean;
  /** The place of its hash among others. */
  readonly hashes: Buffer;
  readonly at: number;
}

/** An id and its user. */
export interface IdRow {
  readonly id: string;
  readonly userId: number;
  readonly isBound: boolean;
  /** Whether it has no row yet. */
  readonly isNew: boolean;
}

const unknown = 0;

/** The ids of one kind which a batch may use. */
export class BatchIds implements KnownIds {
  readonly #noun: string;
  readonly #states = new Map<string, IdState>();
  /** The states that are new to this process. */
  readonly #learnt = new Map<string, IdState>();
  readonly #changed = new Map<string, IdRow>();

  /** @param noun of one id, in messages */
  constructor(noun: string) {
    this.#noun = noun;
  }

  /** Adds an id with what this process knows of it; undefined if that is nothing. */
  announce(id: string, state: IdState | undefined): void {
    this.#states.set(id, state ?? unknown);
  }

  isAnnounced(id: string): boolean {
    return this.#states.has(id);
  }

  /** Adds what the database knows of an announced id. */
  learn(id: string, state: IdState): void {
    this.#states.set(id, state);
    this.#learnt.set(id, state);
  }

  /** The ids of which this process knows something else after the batch than before. */
  get learnt(): ReadonlyMap<string, IdState> {
    return this.#learnt;
  }

  /** Adds what another source knows of an id that is new here. It is no change of the batch. */
  restore(id: string, state: IdState): void {
    if (this.#states.get(id) === unknown) this.learn(id, state);
  }

  changed(): readonly IdRow[] {
    return [...this.#changed.values()];
  }

  find(id: string): IdState | undefined {
    const state = this.#states.get(id) ?? throwUnannounced(this.#noun);
    return state === unknown ? undefined : state;
  }

  setReported(id: string, state: IdState): void {
    this.learn(id, state);
  }

  assign(id: string, userId: number, isBound: boolean): void {
    const isNew = this.#changed.get(id)?.isNew ?? this.#states.get(id) === unknown;
    this.learn(id, stateOf(userId, isBound, true));
    this.#changed.set(id, { id, userId, isBound, isNew });
  }
}

/** The key itself may be personal data. */
export function throwUnannounced(noun: string): never {
  throw new TypeError(`the ${noun} is not among the keys which the batch was begun with`);
}
