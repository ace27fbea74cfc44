import { expect, it } from "vitest";
import { BodyMemory } from "../../../../../services/channel/delivery/body/body-memory.ts";

const mib = 1_048_576;

it.each([
  ["16 MiB of it", 17, mib, 16],
  ["many small pieces", 256, 1, 256],
  ["no larger piece", 2, mib + 1, 0],
])("keeps %s for later bodies", (_what, pieces, bytes, kept) => {
  const memory = new BodyMemory();
  const take = (): readonly ArrayBufferLike[] =>
    Array.from({ length: pieces }, () => memory.take(bytes)).map(({ buffer }) => buffer);
  for (let time = 0; time < 2; time++) {
    const given = new Set(take());
    for (const buffer of given) memory.free(new Uint8Array(buffer));
    const again = take();
    expect(again.filter((buffer) => given.has(buffer))).toHaveLength(kept);
    for (const buffer of again) memory.free(new Uint8Array(buffer));
  }
});
