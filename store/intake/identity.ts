import type { ResolvedUser } from "./intake.ts";

/** What is known of an id: `user * 4 + isBound * 2 + isReported`. A user id stays below 2^51. */
export type IdState = number;

/** The ids of one kind, in one project. */
export interface KnownIds {
  /** Returns undefined for a new id. */
  find(id: string): IdState | undefined;
  /** Remembers that a found id is reported to the store. */
  setReported(id: string, state: IdState): void;
  /** Assigns an id to a user, as reported. */
  assign(id: string, userId: number, isBound: boolean): void;
}

/** The users of one project. */
export interface ProjectUsers {
  readonly accounts: KnownIds;
  readonly visitors: KnownIds;
  /** Returns the number of a new user. */
  addUser(): number;
}

export function stateOf(userId: number, isBound: boolean, isReported: boolean): IdState {
  return userId * 4 + (isBound ? 2 : 0) + (isReported ? 1 : 0);
}

/**
 * Resolves the accounts and visitors of a project to users, permanently. A new account takes over the
 * user of a visitor without an account; a new visitor beside an account belongs to the account. So a
 * pair always resolves to the same user, whatever came in between.
 */
export function resolveUser(
  users: ProjectUsers,
  accountId: string | undefined,
  distinctId: string | undefined,
): ResolvedUser {
  const { accounts, visitors } = users;
  if (accountId === undefined) {
    if (distinctId === undefined) throw new RangeError("a user needs an account or a distinct id");
    return resolveVisitor(users, distinctId);
  }
  const account = accounts.find(accountId);
  const visitor = distinctId === undefined ? undefined : visitors.find(distinctId);
  if (account === undefined) return addAccount(users, accountId, distinctId, visitor);
  const userId = userOf(account);
  const isNewAccount = takeUnreported(accounts, accountId, account);
  if (distinctId === undefined) return { userId, isNew: isNewAccount, ownsVisitor: false };
  if (visitor === undefined) {
    visitors.assign(distinctId, userId, true);
    return { userId, isNew: true, ownsVisitor: true };
  }
  const ownsVisitor = userOf(visitor) === userId;
  // A visitor is reported as its own user's only.
  const isNewVisitor = ownsVisitor && takeUnreported(visitors, distinctId, visitor);
  return { userId, isNew: isNewAccount || isNewVisitor, ownsVisitor };
}

function resolveVisitor(users: ProjectUsers, distinctId: string): ResolvedUser {
  const { visitors } = users;
  const visitor = visitors.find(distinctId);
  if (visitor === undefined) {
    const userId = users.addUser();
    visitors.assign(distinctId, userId, false);
    return { userId, isNew: true, ownsVisitor: true };
  }
  const isNew = takeUnreported(visitors, distinctId, visitor);
  return { userId: userOf(visitor), isNew, ownsVisitor: true };
}

function addAccount(
  users: ProjectUsers,
  accountId: string,
  distinctId: string | undefined,
  visitor: IdState | undefined,
): ResolvedUser {
  const isFree = visitor !== undefined && (visitor & 2) === 0;
  const userId = isFree ? userOf(visitor) : users.addUser();
  users.accounts.assign(accountId, userId, false);
  const ownsVisitor = distinctId !== undefined && (isFree || visitor === undefined);
  if (ownsVisitor) users.visitors.assign(distinctId, userId, true);
  return { userId, isNew: true, ownsVisitor };
}

/** Reports an id as new once, and again after a rewind. */
function takeUnreported(ids: KnownIds, id: string, state: IdState): boolean {
  const isReported = state % 2 === 1;
  if (!isReported) ids.setReported(id, state + 1);
  return !isReported;
}

function userOf(state: IdState): number {
  return Math.floor(state / 4);
}
