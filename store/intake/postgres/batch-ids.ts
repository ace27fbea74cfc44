import type { IdState, KnownIds } from "../identity.ts";
import { stateOf } from "../identity.ts";
import type { RecentIds } from "../recent-ids.ts";
import { AnnouncedKeys, throwUnannounced } from "./announced.ts";

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
  /** The ids of which this process knows nothing, each once. */
  readonly unknownIds: readonly string[];
  readonly #noun: string;
  readonly #keys: AnnouncedKeys;
  /** What this process knew of each announced id. */
  readonly #states: readonly IdState[];
  readonly #learnt = new Map<string, IdState>();
  readonly #changed = new Map<string, IdRow>();

  /**
   * @param noun of one id, in messages
   * @param ids announced ids, without unpaired surrogates
   * @param recent what this process knows
   */
  constructor(noun: string, ids: readonly string[], recent: RecentIds) {
    const unknownIds = new Set<string>();
    this.#noun = noun;
    this.#keys = new AnnouncedKeys(ids);
    this.#states = ids.map((id) => {
      const state = recent.get(id);
      if (state === undefined) unknownIds.add(id);
      return state ?? unknown;
    });
    this.unknownIds = [...unknownIds];
  }

  /** The ids of which this process knows something else after the batch than before. */
  get learnt(): ReadonlyMap<string, IdState> {
    return this.#learnt;
  }

  /** Adds what the database knows of an announced id. */
  learn(id: string, state: IdState): void {
    this.#learnt.set(id, state);
  }

  /** Adds what another source knows of an id that is new here. It is no change of the batch. */
  restore(id: string, state: IdState): void {
    const at = this.#keys.find(id);
    if (at !== -1 && !this.#learnt.has(id) && this.#states[at] === unknown) this.learn(id, state);
  }

  changed(): readonly IdRow[] {
    return [...this.#changed.values()];
  }

  find(id: string): IdState | undefined {
    const learnt = this.#learnt.size === 0 ? undefined : this.#learnt.get(id);
    if (learnt !== undefined) return learnt;
    const at = this.#keys.find(id);
    if (at === -1) throwUnannounced(this.#noun);
    const state = this.#states[at];
    return state === unknown ? undefined : state;
  }

  setReported(id: string, state: IdState): void {
    this.learn(id, state);
  }

  assign(id: string, userId: number, isBound: boolean): void {
    const isNew = this.#changed.get(id)?.isNew ?? this.find(id) === undefined;
    this.learn(id, stateOf(userId, isBound, true));
    this.#changed.set(id, { id, userId, isBound, isNew });
  }
}
