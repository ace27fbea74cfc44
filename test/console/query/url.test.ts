import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeQuery, encodeQuery } from "../../../console/src/pages/query/state/url.ts";
import { formatRoute, parseRoute } from "../../../console/src/router/route.ts";

async function throughLink(json: string): Promise<string | undefined> {
  const q = await encodeQuery(json);
  const link = formatRoute({ path: ["query"], query: new Map([["q", q!]]) });
  return decodeQuery(parseRoute(link).query.get("q")!);
}

test("a link brings back any query, short and long", async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.nat(300), async (json, repeats) => {
      const text = `{"a":9007199254740993,"b":[${Array.from({ length: repeats + 1 }, () => json).join()}]}`;
      // What no link can hold is not cut.
      const encoded = await encodeQuery(text);
      expect(encoded === undefined ? text : await throughLink(text)).toBe(text);
    }),
    { numRuns: 50 },
  );
});

test("a short query stays readable, a long one is compressed, and one that is too long is not cut", async () => {
  expect(await encodeQuery('{"projectId":1}')).toBe('{"projectId":1}');
  const long = JSON.stringify({ ftv: Array.from({ length: 2_000 }, (_, i) => `value ${i}`) });
  const encoded = await encodeQuery(long);
  expect(encoded).toMatch(/^z[\w-]+$/);
  expect(encoded!.length).toBeLessThan(long.length / 2);
  const noise = Array.from({ length: 2_000 }, (_, i) => Math.sin(i).toString(36)).join();
  expect(await encodeQuery(JSON.stringify(noise))).toBeUndefined();
});

test.each([["z"], ["z****"], ["zAAAA"], ["z-_-_"]])("a damaged link, %s, has no query", async (encoded) => {
  expect(await decodeQuery(encoded)).toBeUndefined();
});

test("a cut link has no query", async () => {
  const encoded = (await encodeQuery(JSON.stringify("ab".repeat(2_000))))!;
  expect(await decodeQuery(encoded.slice(0, -4))).toBeUndefined();
});

test("a query of more than a megabyte gets no link, and no link has one", async () => {
  expect(await encodeQuery("a".repeat(1_000_001))).toBeUndefined();
  expect(await decodeQuery("a".repeat(1_000_001))).toBeUndefined();
  const most = await throughLink("a".repeat(1_000_000));
  expect(most).toHaveLength(1_000_000);
  const packed = `z${deflateRawSync("a".repeat(1_000_001)).toString("base64url")}`;
  expect(packed.length).toBeLessThan(2_000);
  expect(await decodeQuery(packed)).toBeUndefined();
});
