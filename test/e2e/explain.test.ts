import { existsSync } from "node:fs";
import { join } from "node:path";
import { toJson } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../cmd/config/config.ts";
import { startServer } from "../../cmd/serve/server.ts";
import {
  ExplainResponseSchema,
  Framing,
  ParserExplainer,
} from "../../gen/engage/parser/v1/parser_explainer_pb.ts";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { Parser } from "../../gen/proto/parser_pb.ts";
import { folderWith } from "../cmd/config/load.ts";
import { openForAll } from "../open-for-all.ts";

const settings = {
  listen: "127.0.0.1:0",
  log: { level: "silent" },
  projects: [{ id: 1, appids: ["a"] }],
  parser: {
    separator: ":ta:",
    framing: { rest: "lines" },
    store: { project: 1 },
    formats: [
      { name: "plain", index: "plain.log", type: "json", mapping: { "#account_id": "id" } },
      { name: "columns", index: "c.log", type: "delimited", separator: ",", columns: ["a", "b"] },
    ],
  },
};

const server = openForAll(async (onEnd) => {
  const cwd = folderWith({ "engage.yaml": JSON.stringify(settings) }, onEnd);
  const running = await startServer(loadConfig({ env: {}, cwd }).config);
  onEnd(() => running.stop());
  return { url: running.address.url, data: join(cwd, "data") };
});

const kinds: readonly (readonly [string, (baseUrl: string) => Transport])[] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect by GET", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1", useHttpGet: true })],
];

const content = Buffer.from('plain.log|ta|{"id":"7","ip":"::1"}:ta:c.log|ta|x,y,z:ta:x');

async function postRest(body: object): Promise<{ readonly status: number; readonly json: unknown }> {
  const response = await fetch(`${server().url}/v1/parser:explain`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

describe.each(kinds)("over %s", (_name, transportOf) => {
  it("a content is explained as Parse parses it, and nothing changes", async () => {
    const transport = transportOf(server().url);
    const before = await parserMetrics();
    const explained = await createClient(ParserExplainer, transport).explain({
      content,
      framing: Framing.ITEMS,
    });
    expect(await parserMetrics()).toEqual(before);
    expect(existsSync(join(server().data, "deadletters/parser.ndjson"))).toBe(false);
    expect(toJson(ExplainResponseSchema, explained)).toMatchObject({
      framing: "FRAMING_ITEMS",
      separators: { item: ":ta:", index: "|ta|", record: "\u0001" },
      lines: [
        {
          index: "plain.log",
          format: "plain",
          offset: 13,
          length: 21,
          fieldLists: [
            {
              fields: [
                { name: "id", json: '"7"' },
                { name: "ip", json: '"::1"' },
              ],
            },
          ],
          records: { json: ['{"#account_id":"7","properties":{"ip":"::1"}}'] },
        },
        { lineNumber: 1, format: "columns", error: { reason: "column_count" } },
      ],
      configuration: expect.stringMatching(
        /^parser:\n {2}formats:\n {4}- name: plain\n[\s\S]*- name: columns\n/,
      ),
    });
    const inline = await createClient(ParserExplainer, transport).explain({
      content: Buffer.from("k=v\n"),
      framing: Framing.LINES,
      formats: { case: "inlineFormats", value: "name: pairs\nindex: '*'\ntype: logfmt\n" },
    });
    expect(inline.lines[0]?.outcome).toMatchObject({ value: { json: ['{"properties":{"k":"v"}}'] } });
    expect(inline.configuration).toBe(
      "parser:\n  formats:\n    - name: pairs\n      index: '*'\n      type: logfmt\n",
    );
  });
});

/** Returns what the parser counts. */
async function parserMetrics(): Promise<string[]> {
  const text = await (await fetch(`${server().url}/metrics`)).text();
  return text.split("\n").filter((line) => /^engage_(?:parser|events)_/.test(line));
}

describe("over REST", () => {
  it("a content is explained with the framing of its protocol", async () => {
    const { status, json } = await postRest({
      content: Buffer.from('{"id":1}\nx\n').toString("base64"),
      format: "plain",
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      framing: "FRAMING_LINES",
      tokens: [
        { offset: 0, length: 8, role: "FRAMING_ROLE_DATA", lineNumber: 0 },
        { offset: 8, length: 1, role: "FRAMING_ROLE_LINE_END" },
        { offset: 9, length: 1, role: "FRAMING_ROLE_DATA", lineNumber: 1 },
        { offset: 10, length: 1, role: "FRAMING_ROLE_LINE_END" },
      ],
      lines: [{ records: { json: ['{"#account_id":1}'] } }, { error: { reason: "invalid_json" } }],
    });
  });
});

describe("a call is refused", () => {
  const explain = (request: Parameters<ReturnType<typeof clientOf>["explain"]>[0]) =>
    clientOf().explain(request);
  const clientOf = () => createClient(ParserExplainer, createGrpcTransport({ baseUrl: server().url }));

  it.each([
    [
      "with an unknown format",
      { formats: { case: "format" as const, value: "plan" } },
      Code.NotFound,
      'there is no format "plan", the nearest is "plain", valid are "plain", "columns"',
    ],
    [
      "with too much content",
      { content: new Uint8Array(262_145) },
      Code.InvalidArgument,
      "content has 262145 bytes, valid are at most 262144",
    ],
    [
      "with too large formats",
      { formats: { case: "inlineFormats" as const, value: "é".repeat(32_769) } },
      Code.InvalidArgument,
      "inline_formats has 65538 bytes, valid are at most 65536",
    ],
    [
      "with an unknown framing",
      { framing: 9 as Framing },
      Code.InvalidArgument,
      "framing is 9, valid are the numbers of items, lines, none",
    ],
    [
      "with a pattern that is not RE2",
      {
        formats: {
          case: "inlineFormats" as const,
          value: "name: a\nindex: a\ntype: regex\npattern: '(?P<a>x)(?=y)'\n",
        },
      },
      Code.InvalidArgument,
      /^inline_formats 4:10: parser\.formats\[0\]\.pattern: bad regular expression "\(\?P<a>x\)\(\?=y\)": /,
    ],
    [
      "with a module",
      {
        formats: {
          case: "inlineFormats" as const,
          value: "{name: a, index: a, type: module, module: /etc/passwd}",
        },
      },
      Code.InvalidArgument,
      /^inline_formats 1:27: parser\.formats\[0\]\.type: must not be "module"/,
    ],
  ])("%s", async (_name, request, code, message) => {
    const error = ConnectError.from(await explain(request).catch((reason: unknown) => reason));
    expect(error).toMatchObject({ code });
    expect(error.rawMessage).toMatch(message);
  });

  it("with all faults of its formats", async () => {
    const value = "name: a\ntype: regex\npattern: '('\n";
    const error = ConnectError.from(
      await explain({ formats: { case: "inlineFormats", value } }).catch((reason: unknown) => reason),
    );
    expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations).toMatchObject([
      { field: "inline_formats", description: expect.stringContaining("parser.formats[0].index") },
    ]);
  });
});

it("Parse responds what was explained", async () => {
  const transport = createGrpcTransport({ baseUrl: server().url });
  const explained = await createClient(ParserExplainer, transport).explain({ content });
  const parsed = await createClient(Parser, transport).parse({ content });
  expect(Buffer.from(explained.content).toString()).toBe(Buffer.from(parsed.content).toString());
});
