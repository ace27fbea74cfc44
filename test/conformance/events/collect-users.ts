import { expect } from "vitest";
import { Utf8Text } from "../../../base/bytes/utf8-text.ts";
import type { StoredUser, UserChunk, UserVisitor } from "../../../store/events/events.ts";

/** Returns all users, and checks that a visitor gets the same values. */
export async function collectUsers(chunks: AsyncIterable<UserChunk>): Promise<StoredUser[]> {
  const found: StoredUser[] = [];
  for await (const chunk of chunks) found.push(...usersOfChunk(chunk));
  return found;
}

/** Does the same for one chunk. */
export function usersOfChunk(chunk: UserChunk): readonly StoredUser[] {
  const users = [...chunk];
  expect(chunk).toHaveLength(users.length);
  expect(visited(chunk, chunk.length)).toEqual(users);
  expect(visited(chunk, 1)).toEqual(users.slice(0, 1));
  return users;
}

function visited(chunk: UserChunk, count: number): readonly StoredUser[] {
  const users: { -readonly [Name in keyof StoredUser]: StoredUser[Name] }[] = [];
  const visitor: UserVisitor = {
    user: (userId, accountId, distinctId) => {
      const [account, distinct] = [accountId, distinctId].map((id) => id?.toString() ?? null);
      users.push({ userId, accountId: account!, distinctId: distinct!, properties: {} });
    },
    property: (name, value) => {
      const text = value instanceof Utf8Text ? value.toString() : value;
      const user = users.at(-1)!;
      user.properties = { ...user.properties, [name]: text };
    },
  };
  chunk.visit(visitor, count);
  return users;
}
