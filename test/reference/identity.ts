export interface Identities {
  resolve(accountId: string | undefined, distinctId: string | undefined): Identity;
}

export interface Identity {
  readonly userId: number;
  /** The visitor, when it came to the user by this. */
  readonly gained: string | undefined;
}

/** An account wins; a visitor belongs to at most one account. */
export function createIdentities(): Identities {
  const accounts = new Map<string, number>();
  const visitors = new Map<string, { readonly userId: number; bound: boolean }>();
  let last = 0;
  return {
    resolve(accountId, distinctId) {
      const visitor = distinctId === undefined ? undefined : visitors.get(distinctId);
      const gained = visitor === undefined ? distinctId : undefined;
      if (accountId === undefined) {
        const userId = visitor?.userId ?? ++last;
        if (gained !== undefined) visitors.set(gained, { userId, bound: false });
        return { userId, gained };
      }
      const known = accounts.get(accountId);
      const takes = known === undefined && visitor !== undefined && !visitor.bound;
      const userId = known ?? (takes ? visitor.userId : ++last);
      accounts.set(accountId, userId);
      if (takes) visitor.bound = true;
      if (gained !== undefined) visitors.set(gained, { userId, bound: true });
      return { userId, gained };
    },
  };
}
