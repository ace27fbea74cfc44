import { Utf8Bytes, Utf8Text } from "../../../../base/bytes/utf8-text.ts";
import type { StoredUser, UserChunk } from "../../../../store/events/events.ts";
import { chunkOf } from "./object-chunk.ts";

/** Returns a chunk whose texts are visited as parts of bytes. */
export function utf8ChunkOf(users: readonly StoredUser[]): UserChunk {
  const chunk = chunkOf(users);
  return {
    length: chunk.length,
    [Symbol.iterator]: () => chunk[Symbol.iterator](),
    visit(visitor, count) {
      const toUtf8 = <T>(value: T) => (typeof value === "string" ? utf8Of(value) : value);
      chunk.visit(
        {
          user: (userId, accountId, distinctId) =>
            visitor.user(userId, toUtf8(accountId), toUtf8(distinctId)),
          property: (name, value) => visitor.property(name, toUtf8(value)),
        },
        count,
      );
    },
  };
}

function utf8Of(text: string): Utf8Text {
  const before = 'a "part"';
  const start = Buffer.byteLength(before);
  return new Utf8Text(new Utf8Bytes(`${before}${text}\u0000`), start, start + Buffer.byteLength(text));
}
