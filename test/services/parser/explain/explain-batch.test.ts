import { create, type MessageInitShape } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ExplainResponse,
  ExplainResponseSchema,
  FramingRole,
} from "../../../../gen/engage/parser/v1/parser_explainer_pb.ts";
import { parserConfigSchema } from "../../../../services/parser/config.ts";
import { explainBatch, maxLines } from "../../../../services/parser/explain/explain-batch.ts";
import { maxTokens } from "../../../../services/parser/explain/tokens.ts";
import { openFormats } from "../../../../services/parser/formats/formats.ts";
import { createBatchParser } from "../../../../services/parser/line/batch.ts";
import { type Framing, framings } from "../../../../services/parser/line/framing.ts";
import { separatorsOf } from "../../../../services/parser/line/separators.ts";
import { casesOf } from "../../../thorough.ts";

const formats = [
  { name: "plain", index: "plain.log", type: "json", mapping: { "#account_id": "id" } },
  { name: "lists", index: "lists.log", type: "json", records: "list" },
  {
    name: "columns",
    index: "c.log",
    type: "delimited",
    separator: ",",
    columns: ["a", { name: "n", type: "number" }],
  },
  { name: "pairs", index: "p.log", type: "regex", pattern: "(?P<key>\\w+)=(?P<value>.*)" },
  { name: "wrapped", index: "w.log", type: "logfmt", unwrap: { key: "log" } },
  { name: "passed", index: "r.log", type: "pass_through" },
];

async function explainerOf(values: object = {}) {
  const config = parserConfigSchema.parse({ formats, ...values });
  const opened = await openFormats(config);
  const { formatFor } = opened;
  const separators = separatorsOf(config);
  const parse = createBatchParser({ formatFor, separators, maxLineBytes: config.maxLineBytes, now: () => 0 });
  return {
    parse: (content: Uint8Array, framing: Framing, index: string) =>
      parse({ content, framing, index, source: "test" }),
    explain(content: string | Uint8Array, framing: Framing = "items", index = ""): ExplainResponse {
      const given = { content: Buffer.from(content), framing, index };
      const explanation: MessageInitShape<typeof ExplainResponseSchema> = explainBatch(given, {
        config,
        formats: opened,
        formatFor,
      });
      return create(ExplainResponseSchema, explanation);
    },
  };
}

const roleNames = new Map<number, string>(Object.entries(FramingRole).map(([name, role]) => [role, name]));

/** Shows tokens as `role:text`. */
function tokensOf(content: string, { tokens }: ExplainResponse): string[] {
  const bytes = Buffer.from(content);
  return tokens.map(({ offset, length, role, lineNumber }) => {
    const text = bytes.toString("utf8", offset, offset + length);
    return `${lineNumber} ${roleNames.get(role)} ${JSON.stringify(text)}`;
  });
}

describe("tokens", () => {
  it.each<[string, Framing, string, string[]]>([
    ["nothing", "items", "", []],
    [
      "items",
      "items",
      "a|ta|x::é|ta|2001:db8::1 \r\n::b|ta|",
      [
        '0 INDEX "a"',
        '0 INDEX_SEPARATOR "|ta|"',
        '0 DATA "x"',
        '0 SEPARATOR "::"',
        '1 INDEX "é"',
        '1 INDEX_SEPARATOR "|ta|"',
        '1 DATA "2001:db8"',
        '1 SEPARATOR_IN_DATA "::"',
        '1 DATA "1"',
        '1 TRIMMED " \\r\\n"',
        '1 SEPARATOR "::"',
        '2 INDEX "b"',
        '2 INDEX_SEPARATOR "|ta|"',
      ],
    ],
    [
      "an item without an index",
      "items",
      "x::a|ta|y",
      ['0 DATA "x"', '0 SEPARATOR "::"', '1 INDEX "a"', '1 INDEX_SEPARATOR "|ta|"', '1 DATA "y"'],
    ],
    [
      "lines",
      "lines",
      "é\r\n\nx\n",
      ['0 DATA "é"', '0 LINE_END "\\r\\n"', '1 LINE_END "\\n"', '2 DATA "x"', '2 LINE_END "\\n"'],
    ],
    ["one line", "none", "a\nb \n", ['0 DATA "a\\nb"', '0 TRIMMED " \\n"']],
  ])("of %s", async (_name, framing, content, expected) => {
    const { explain } = await explainerOf();
    expect(tokensOf(content, explain(content, framing))).toEqual(expected);
  });

  it("of a separator of line ends, which are removed", async () => {
    const { explain } = await explainerOf({ separator: "\n" });
    const content = "a|ta|x\n\nb|ta|y\n";
    expect(tokensOf(content, explain(content))).toEqual([
      '0 INDEX "a"',
      '0 INDEX_SEPARATOR "|ta|"',
      '0 DATA "x"',
      '0 TRIMMED "\\n"',
      '0 SEPARATOR "\\n"',
      '1 INDEX "b"',
      '1 INDEX_SEPARATOR "|ta|"',
      '1 DATA "y"',
      '1 TRIMMED "\\n"',
    ]);
  });
});

describe("lines", () => {
  it("show their fields, and their records or the reason", async () => {
    const { explain } = await explainerOf();
    const content = [
      'plain.log|ta|{"id":12345678901234567890,"s":"x","o":{"a":[1]}}',
      'plain.log|ta|{"b":1}',
      'lists.log|ta|{"list":[{"c":1},{"c":2}]}',
      "c.log|ta|x,7",
      "c.log|ta|x,seven",
      "p.log|ta|none",
      'w.log|ta|{"log":"k=v"}',
      'r.log|ta|{"#type":"track"}',
      "other|ta|x",
    ].join("::");
    const shown = explain(content).lines.map(({ index, format, fieldLists, outcome }) => [
      index,
      format,
      fieldLists.map(({ fields }) => fields.map(({ name, json }) => `${name} ${json}`)),
      outcome.case === "records" ? outcome.value.json : outcome.value?.reason,
    ]);
    expect(shown).toEqual([
      [
        "plain.log",
        "plain",
        [["id 12345678901234567890", 's "x"', 'o {"a":[1]}']],
        ['{"#account_id":12345678901234567890,"properties":{"s":"x","o":{"a":[1]}}}'],
      ],
      ["plain.log", "plain", [["b 1"]], "missing_id"],
      ["lists.log", "lists", [["c 1"], ["c 2"]], ['{"properties":{"c":1}}', '{"properties":{"c":2}}']],
      ["c.log", "columns", [['a "x"', "n 7"]], ['{"properties":{"a":"x","n":7}}']],
      ["c.log", "columns", [], "invalid_value"],
      ["p.log", "pairs", [], "no_match"],
      ["w.log", "wrapped", [['k "v"']], ['{"properties":{"k":"v"}}']],
      ["r.log", "passed", [], ['{"#type":"track"}']],
      ["other", "", [], "no_format"],
    ]);
  });

  it("have the reason of a record that cannot be written", async () => {
    const { explain } = await explainerOf({ recordSeparator: "},{" });
    const { lines, content } = explain('r.log|ta|{"a":[{"b":1},{"b":2}]}');
    expect(lines[0]?.outcome).toMatchObject({ case: "error", value: { reason: "separator_in_record" } });
    expect(Buffer.from(content).toString()).toBe("{}");
  });

  it("are not parsed after the first ones", async () => {
    const { explain, parse } = await explainerOf();
    const line = '{"id":"1"}\n';
    const explained = explain(line.repeat(maxLines + 3), "lines", "plain.log");
    const first = parse(Buffer.from(line.repeat(maxLines).trimEnd()), "lines", "plain.log");
    expect(explained.lines).toHaveLength(maxLines);
    expect(explained.omittedLines).toBe(3);
    expect(Buffer.from(explained.content).equals(first.content)).toBe(true);
  });

  it("of separators only show the first tokens", async () => {
    const { explain } = await explainerOf();
    const explained = explain(`r.log|ta|${"x::".repeat(maxTokens)}`);
    expect(explained.tokens).toHaveLength(maxTokens);
    expect(explained.omittedTokens).toBe(2 + 2 * maxTokens - maxTokens);
    expect(explained.lines).toHaveLength(1);
  });
});

const piece = fc.constantFrom(
  ..."|ta| :: : | \n \r\n é \u0001 \u{1f600}".split(" "),
  " ",
  "plain.log|ta|",
  "lists.log|ta|",
  "c.log|ta|",
  "r.log|ta|",
  '{"id":"a::b","n":1}',
  '{"list":[{"id":1},{"id":2}]}',
  "x,1",
);
const bytes = fc.oneof(
  fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join(""))),
  fc.uint8Array({ maxLength: 60 }).map((list) => Buffer.from(list)),
);

it("any content is covered by tokens and parsed as Parse does", async () => {
  const { explain, parse } = await explainerOf();
  fc.assert(
    fc.property(
      bytes,
      fc.constantFrom(...framings),
      fc.constantFrom("", "plain.log"),
      (content, framing, index) => {
        const { tokens, lines, content: response } = explain(content, framing, index);
        const parsed = parse(content, framing, index);
        expect(Buffer.from(response).equals(parsed.content)).toBe(true);
        expect(lines).toHaveLength(parsed.counts.items);
        const failed = lines.flatMap(({ outcome }) =>
          outcome.case === "error" ? [outcome.value.reason] : [],
        );
        const reasons = [...parsed.counts.failedByReason].flatMap(([reason, count]) =>
          new Array<string>(count).fill(reason),
        );
        expect(failed.sort()).toEqual(reasons.sort());
        let end = 0;
        for (const { offset, length } of tokens) {
          expect(offset).toBe(end);
          expect(length).toBeGreaterThan(0);
          end += length;
        }
        expect(end).toBe(content.length);
      },
    ),
    { numRuns: casesOf(3_000) },
  );
});
