import { expect, it } from "vitest";
import type { Reply } from "../../../../store/sql/sqlite/messages.ts";
import { ownBuffersOf } from "../../../../store/sql/sqlite/own-buffers.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
/** Makes a reply of bytes that have a buffer of their own. */
const of = (make: (bytes: Uint8Array) => unknown) => () => make(bytesOf("payloads"));

it.each<[string, () => unknown, number]>([
  ["nothing", () => undefined, 0],
  ["null", () => null, 0],
  ["texts", () => ["a", "b"], 0],
  ["bytes", () => bytesOf("a"), 1],
  ["no bytes", () => new Uint8Array(), 1],
  [
    "rows with bytes",
    () => ({ rows: [{ id: 1, body: bytesOf("a") }, { id: 2, body: null }, { body: bytesOf("b") }] }),
    2,
  ],
  ["the same bytes twice", of((body) => [{ body }, { body }]), 1],
  ["bytes that share a buffer", of((body) => [{ body: body.subarray(0, 3) }, { body: body.subarray(3) }]), 0],
  ["a buffer and a part of it", of((body) => [{ body }, { body: body.subarray(1) }]), 1],
  ["a small buffer of the pool", () => [{ body: Buffer.from("a") }], 0],
])("a reply with %s arrives as it was sent", (_what, make, moved) => {
  const replies: Reply[] = [
    { id: 1, value: make() },
    { id: 2, error: { kind: "other", message: "x" } as never },
  ];
  const expected = structuredClone(replies);
  const buffers = ownBuffersOf(replies);
  expect(buffers).toHaveLength(moved);
  expect(structuredClone(replies, { transfer: [...buffers] })).toEqual(expected);
});
