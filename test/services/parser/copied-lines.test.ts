import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parserConfigSchema } from "../../../services/parser/config.ts";
import { openFormats } from "../../../services/parser/formats/formats.ts";
import { createBatchParser, type ParsedBatch } from "../../../services/parser/line/batch.ts";
import type { Format } from "../../../services/parser/line/line.ts";
import { separatorsOf } from "../../../services/parser/line/separators.ts";
import { casesOf } from "../../thorough.ts";

const formats = [
  {
    name: "game",
    index: "a.log",
    type: "json",
    required: ["id"],
    mapping: {
      "#type": { value: "track" },
      "#account_id": "id",
      "#event_name": "ev_{code}_{id}",
      big: { from: "n", type: "number" },
      nested: { value: { a: [1, "x"] } },
    },
  },
  { name: "plain", index: "b.log", type: "json", mapping: { note: { value: 'é"\\' } }, rest: "all" },
  {
    name: "joined",
    index: "d.log",
    type: "json",
    mapping: { "#account_id": "id", "#event_name": "{id}{code}:" },
  },
  { name: "renamed", index: "e.log", type: "json", mapping: { "#account_id": "id" } },
];

/** One parser that copies lines where it can and one that parses each. */
async function parsers(values: object) {
  const config = parserConfigSchema.parse({ ...values, formats });
  const { formatFor } = await openFormats(config);
  const parsing = new Map(formats.map(({ index }) => [index, parsedOnly(formatFor(index) as Format)]));
  const options = { separators: separatorsOf(config), maxLineBytes: 60_000, now: () => 0 };
  return {
    copied: createBatchParser({ ...options, formatFor }),
    parsed: createBatchParser({ ...options, formatFor: (index) => parsing.get(index) }),
  };
}

function parsedOnly({ name, copied }: Format): Format {
  if (copied === undefined) throw new Error(`${name} copies nothing`);
  return { name, parseLine: copied.parseLine };
}

const shown = ({ content, counts, deadLetters: letters }: ParsedBatch) => ({
  text: Buffer.from(content).toString("utf8"),
  counts,
  letters: Buffer.from(letters.ndjson).toString("utf8"),
});

const text = fc.oneof(
  fc.stringMatching(/^[a-z 0-9:-]{0,12}$/),
  fc.constantFrom(
    "x:ta:y",
    "x:",
    ":ta",
    "a::b",
    "2001:db8::1",
    "é中𝄞",
    "\u0001",
    "\n",
    '"',
    "\\",
    "ta",
    "}:",
  ),
);
const value = fc.oneof(
  { weight: 4, arbitrary: text.map((one) => JSON.stringify(one)) },
  { weight: 3, arbitrary: fc.integer().map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("null", "true", '["x",1]', "[]", "{}", "1.0", "1e400", "12.25", "x"),
  },
);
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(value, value, value)
      .map(([id, code, n]) => `{"id":${id},"code":${code},"n":${n},"é":"x","rest":[1,"y"]}`),
  },
  { weight: 1, arbitrary: fc.constantFrom("", "no JSON", "{}", '{"id":1}', '{"rest":"x","id":2}', "null") },
);
const items = fc.array(
  fc.tuple(fc.constantFrom("a.log", "a.log", "a.log", "b.log", "c.log", "d.log", "d.log", "e.log"), line),
  {
    maxLength: 40,
  },
);

describe.each([
  { separator: ":ta:" },
  { separator: "::" },
  { separator: "}:" },
  { separator: "中", recordSeparator: "é" },
  { separator: "ta", recordSeparator: "xx", indexSeparator: "|" },
  { separator: "rope" },
])("with %j", (values) => {
  it("answers copied lines as parsed ones", async () => {
    const { copied, parsed } = await parsers(values);
    const { separator, indexSeparator = "|ta|" } = values as { separator: string; indexSeparator?: string };
    fc.assert(
      fc.property(items, (batch) => {
        const content = Buffer.from(batch.map((item) => item.join(indexSeparator)).join(separator));
        const call = { content, framing: "items", index: "", source: "test" } as const;
        expect(shown(copied(call))).toEqual(shown(parsed(call)));
      }),
      { numRuns: casesOf(200) },
    );
  });
});

it.each(["lines", "items", "none"] as const)("answers a big batch in %s as if parsed", async (framing) => {
  const { copied, parsed } = await parsers({ separator: ":ta:" });
  const lines = Array.from({ length: 2_000 }, (_, i) =>
    JSON.stringify({
      id: `player-${i}`,
      code: i % 7 === 0 ? ["a"] : i,
      n: i % 100 === 0 ? "none" : i,
      place: i % 500 === 3 ? "a:ta:b" : i % 11 === 0 ? "Zürich" : "Basel",
      text: "x".repeat(i % 300 === 0 ? 61_000 : i % 50),
    }),
  );
  const content = Buffer.from(
    { lines: lines.join("\r\n"), items: lines.map((one) => `a.log|ta|${one}`).join(":ta:"), none: lines[1]! }[
      framing
    ],
  );
  const call = { content, framing, index: framing === "items" ? "" : "a.log", source: "test" };
  copied(call);
  const answer = shown(copied(call));
  expect(answer).toEqual(shown(parsed(call)));
  expect(answer.counts.items).toBe(framing === "none" ? 1 : 2_000);
});

it("hands on bytes that are not UTF-8 beside lines that are copied", async () => {
  const { copied, parsed } = await parsers({});
  const good = `a.log|ta|{"id":1,"code":2}`;
  const content = Buffer.concat([
    Buffer.from(`${good}::${good}::a.log|ta|{"id":"`),
    Buffer.of(0xff, 0x22, 0x7d),
  ]);
  const call = { content, framing: "items", index: "", source: "test" } as const;
  expect(shown(copied(call))).toEqual(shown(parsed(call)));
  expect(copied(call).counts.failedByReason).toEqual(new Map([["invalid_utf8", 1]]));
});

it("answers copied lines as parsed ones if the separator overlaps the end of one", async () => {
  const separator = "1}}1";
  const { copied, parsed } = await parsers({ separator });
  const lines = [1, 2].map((rest) => `e.log|ta|{"id":"a","rest":${rest}}`);
  const content = Buffer.from(lines.join(separator));
  const call = { content, framing: "items", index: "", source: "test" } as const;
  copied(call);
  const answer = shown(copied(call));
  expect(answer).toEqual(shown(parsed(call)));
  expect(answer.text.split(separator)).toEqual(["{}", expect.stringMatching(/"rest":2\}\}$/)]);
});
