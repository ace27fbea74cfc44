export interface Identities {
  resolve(accountId: string | undefined, distinctId: string | undefined): number;
}

/** An account wins; a visitor belongs to at most one account. */
export function createIdentities(): Identities {
  const accounts = new Map<string, number>();
  const visitors = new Map<string, { readonly userId: number; bound: boolean }>();
  let last = 0;
  return {
    resolve(accountId, distinctId) {
      const visitor = distinctId === undefined ? undefined : visitors.get(distinctId);
      if (accountId === undefined) {
        if (visitor) return visitor.userId;
        const userId = ++last;
        visitors.set(distinctId!, { userId, bound: false });
        return userId;
      }
      const known = accounts.get(accountId);
      const takes = known === undefined && visitor !== undefined && !visitor.bound;
      const userId = known ?? (takes ? visitor.userId : ++last);
      accounts.set(accountId, userId);
      if (takes) visitor.bound = true;
      else if (distinctId !== undefined && !visitor) visitors.set(distinctId, { userId, bound: true });
      return userId;
    },
  };
}
