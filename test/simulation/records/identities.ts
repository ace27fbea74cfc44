import {
  type IdState,
  type KnownIds,
  type ProjectUsers,
  resolveUser,
} from "../../../store/intake/identity.ts";
import type { IntakeKeys, ResolvedUser } from "../../../store/intake/intake.ts";
import type { EventOfUser } from "./event-tables.ts";

/** The ids of the person of a record, at least one, and the id of which only the first event counts. */
export interface Identity {
  readonly account: string | undefined;
  readonly visitor: string | undefined;
  readonly firstCheck: string | undefined;
}

/** The event of all records. */
export const eventName = "login";

/** Returns the ids in a record, of which there are a few. */
export function identityOf(record: string): Identity {
  const number = [...record].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 9_973;
  const visitor = `v${number % 5}`;
  const firstCheck = number % 2 === 0 ? `c${number % 11}` : undefined;
  if (number % 3 === 0) return { account: undefined, visitor, firstCheck };
  return { account: `a${number % 4}`, visitor: number % 7 === 0 ? undefined : visitor, firstCheck };
}

/** Returns the event of a record, and what the event tables must know of its user. */
export function recordedEvent(id: string, { userId, ownsVisitor }: ResolvedUser): EventOfUser {
  const { account, visitor } = identityOf(id);
  const ids = [account, ownsVisitor ? visitor : undefined].filter((one) => one !== undefined);
  return { id, userId, reports: ids.map((one) => `${one} of ${userId}`) };
}

/** The keys of records of one project. */
export function keysOf(project: number, records: readonly string[]): IntakeKeys {
  const identities = records.map(identityOf);
  const given = (ids: readonly (string | undefined)[]) => ids.filter((id) => id !== undefined);
  const keys = {
    accountIds: given(identities.map(({ account }) => account)),
    distinctIds: given(identities.map(({ visitor }) => visitor)),
    uuids: records,
    firstCheckIds: new Map([[eventName, new Set(given(identities.map(({ firstCheck }) => firstCheck)))]]),
  };
  return new Map([[project, keys]]);
}

/** The users of records in one order, in memory. */
export class ReferenceUsers implements ProjectUsers {
  readonly accounts = createIds();
  readonly visitors = createIds();
  #users = 0;

  addUser(): number {
    return ++this.#users;
  }

  resolve(record: string): ResolvedUser {
    const { account, visitor } = identityOf(record);
    return resolveUser(this, account, visitor);
  }
}

function createIds(): KnownIds {
  const states = new Map<string, IdState>();
  return {
    find: (id) => states.get(id),
    setReported: (id, state) => void states.set(id, state),
    assign: (id, userId, isBound) => void states.set(id, userId * 4 + (isBound ? 2 : 0) + 1),
  };
}
