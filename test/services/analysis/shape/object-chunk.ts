import type { StoredUser, UserChunk } from "../../../../store/events/events.ts";

/** Returns a chunk of users that are objects already, whose texts are strings. */
export function chunkOf(users: readonly StoredUser[]): UserChunk {
  return {
    length: users.length,
    [Symbol.iterator]: () => users[Symbol.iterator](),
    visit(visitor, count) {
      for (const { userId, accountId, distinctId, properties } of users.slice(0, count)) {
        visitor.user(userId, accountId, distinctId);
        for (const name of Object.keys(properties)) visitor.property(name, properties[name]);
      }
    },
  };
}
