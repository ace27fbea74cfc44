import {
  type IdState,
  type KnownIds,
  type ProjectUsers,
  resolveUser,
} from "../../../store/intake/identity.ts";
import type { IntakeKeys } from "../../../store/intake/intake.ts";

/** The ids of the person of a record: at least one. */
export interface Identity {
  readonly account: string | undefined;
  readonly visitor: string | undefined;
}

/** Returns the ids in a record, of which there are a few. */
export function identityOf(record: string): Identity {
  const number = [...record].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 9_973;
  const visitor = `v${number % 5}`;
  if (number % 3 === 0) return { account: undefined, visitor };
  return { account: `a${number % 4}`, visitor: number % 7 === 0 ? undefined : visitor };
}

/** The keys of records of one project. */
export function keysOf(project: number, records: readonly string[]): IntakeKeys {
  const identities = records.map(identityOf);
  const given = (ids: readonly (string | undefined)[]) => new Set(ids.filter((id) => id !== undefined));
  const keys = {
    accountIds: given(identities.map(({ account }) => account)),
    distinctIds: given(identities.map(({ visitor }) => visitor)),
    uuids: new Set(records),
    firstCheckIds: new Map(),
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

  userOf(record: string): number {
    const { account, visitor } = identityOf(record);
    return resolveUser(this, account, visitor).userId;
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
