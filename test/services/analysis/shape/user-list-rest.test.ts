import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventUserQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { writeUsers } from "../../../../services/analysis/rest/write-users.ts";
import type { StoredUser } from "../../../../store/events/events.ts";
import { call, engineOn, queryOf } from "./answers.ts";
import { slice, user, view } from "./listed-users.ts";
import { chunkOf } from "./object-chunk.ts";
import type { Script } from "./scripted-store.ts";
import { utf8ChunkOf } from "./utf8-chunk.ts";

describe("a list over REST", () => {
  const query = queryOf(EventUserQuerySchema, { view, body: slice });
  const rest = { body: Buffer.from("{}"), search: new URLSearchParams() };

  /** Returns the bytes of a list, and those of its messages. */
  async function bothForms(script: Script) {
    const { engine } = engineOn(script);
    const { message } = await engine.listUsers(query, call());
    const { json } = await engine.listUsers(query, { ...call(), rest });
    return [Buffer.from(json!).toString(), [...writeUsers(message)].join("")];
  }

  const storedOf = (text: fc.Arbitrary<string>): fc.Arbitrary<StoredUser> => {
    const value = fc.oneof(
      text,
      fc.double(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.oneof(fc.string(), fc.constant(null))),
      fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.maxSafeInteger(), fc.constant(2 ** 60))),
    );
    return fc.record({
      userId: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
      accountId: fc.option(text),
      distinctId: fc.option(text),
      properties: fc.dictionary(
        fc.constantFrom("level", "#vip", "#user_id", "a.b", 'q"', "constructor"),
        value,
      ) as fc.Arbitrary<Record<string, unknown>>,
    });
  };
  // Arbitrary code points are hardly ever those that JSON escapes.
  const escaped = fc.constantFrom('"', "\\", "\u001f", "\u007f", "\u2028", "é", "a");
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: escaped }));

  it.each([
    ["texts", chunkOf, text],
    ["bytes", utf8ChunkOf, text.map((one) => one.toWellFormed())],
  ])(
    "of users whose texts come as %s has the bytes that its messages would have",
    async (_what, chunk, texts) => {
      const pages = fc.array(fc.array(storedOf(texts), { maxLength: 4 }), { maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(pages, async (users) => {
          const [bytes, written] = await bothForms({ users, chunkOf: chunk });
          expect(bytes).toBe(written);
        }),
      );
    },
  );

  it("is cut as they are", async () => {
    const many = Array.from({ length: 10_005 }, (_, i) => user(i + 1));
    const [bytes, written] = await bothForms({ users: [many.slice(0, 6_000), many.slice(6_000), many] });
    expect(bytes).toBe(written);
    expect(JSON.parse(bytes!).data).toMatchObject({ truncated: true });
  });
});
