import { appendFile, mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../base/text/digest.ts";
import {
  CountDeadLettersResponseSchema,
  type DeadLetterFilterSchema,
  DeadLetterKind,
  DeadLetters,
  GetDeadLetterResponseSchema,
  ListDeadLettersResponseSchema,
  ListKindsResponseSchema,
  ListReasonsResponseSchema,
  ReplayDeadLettersResponseSchema,
} from "../../gen/engage/operations/v1/dead_letters_pb.ts";
import { encodeDeadLetter } from "../../store/deadletters/deadletters.ts";
import { trackOf } from "../cmd/event-server.ts";
import { dataFolder, openWebhookServer } from "../cmd/webhook-server.ts";
import { type OnEnd, openForAll } from "../open-for-all.ts";
import { openIngestServer } from "../services/webhook/ingest-server.ts";

/** A receiver of messages that refuses them until it is told otherwise. */
async function openReceiver(onEnd: OnEnd) {
  const bodies: string[] = [];
  const receiver = { bodies, status: 400, port: 0 };
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join("");
    if (receiver.status === 200) bodies.push(text);
    response.writeHead(receiver.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  receiver.port = (server.address() as AddressInfo).port;
  onEnd(() => void server.close());
  return receiver;
}

async function open(onEnd: OnEnd) {
  const data = dataFolder(onEnd);
  const receiver = await openReceiver(onEnd);
  const ingest = await openIngestServer();
  onEnd(() => ingest[Symbol.asyncDispose]());
  const webhook = {
    targets: { pulled: { kind: "http", url: `http://127.0.0.1:${receiver.port}/` } },
    clicks: { forward: { url: ingest.url, appid: "APP_ID" } },
    outbound: { allow: [`127.0.0.1:${receiver.port}`, `127.0.0.1:${ingest.port}`] },
  };
  const settings = {
    projects: [{ id: 1, appids: ["app"] }],
    analysis: { tokens: [{ name: "t", token: "query-token", projects: "*" }] },
    events: { batch: { maxDelayMs: 20 }, spool: { minFreeBytes: 0 }, engine: { memoryBytes: 268_435_456 } },
    parser: { store: { project: 1 }, formats: [{ name: "r", index: "r", type: "pass_through" }] },
  };
  const server = await openWebhookServer(webhook, { data, settings, onEnd });
  return { ...server, receiver, ingest };
}

const server = openForAll(open);

type Filter = MessageInitShape<typeof DeadLetterFilterSchema>;
type Json = Record<string, unknown>;

/** The methods over one protocol. Responses are JSON with all fields. */
interface Calls {
  kinds(): Promise<Json>;
  reasons(kind: DeadLetterKind): Promise<Json>;
  list(filter: Filter): Promise<Json>;
  get(deadLetterId: string): Promise<Json>;
  count(filter: Filter): Promise<Json>;
  replay(filter: Filter): Promise<Json>;
  exported(filter: Filter): Promise<string>;
}

const options = { alwaysEmitImplicit: true };

function overRpc(transport: Transport): Calls {
  const client = createClient(DeadLetters, transport);
  return {
    kinds: async () => toJson(ListKindsResponseSchema, await client.listKinds({}), options) as Json,
    reasons: async (kind) =>
      toJson(ListReasonsResponseSchema, await client.listReasons({ kind }), options) as Json,
    list: async (filter) =>
      toJson(ListDeadLettersResponseSchema, await client.listDeadLetters({ filter }), options) as Json,
    get: async (deadLetterId) =>
      toJson(GetDeadLetterResponseSchema, await client.getDeadLetter({ deadLetterId }), options) as Json,
    count: async (filter) =>
      toJson(CountDeadLettersResponseSchema, await client.countDeadLetters({ filter }), options) as Json,
    replay: async (filter) =>
      toJson(ReplayDeadLettersResponseSchema, await client.replayDeadLetters({ filter }), options) as Json,
    async exported(filter) {
      const parts: Uint8Array[] = [];
      for await (const { body } of client.exportDeadLetters({ filter })) parts.push(body!.data);
      return Buffer.concat(parts).toString();
    },
  };
}

async function rest(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(`${server().url}/v1/${path}`, init);
  expect(response.status, path).toBe(200);
  return response;
}

const json = async (path: string, init?: RequestInit): Promise<Json> =>
  (await (await rest(path, init)).json()) as Json;

/** The names of the kinds by their numbers. */
const words = ["UNSPECIFIED", "WEBHOOK", "CLICK", "PARSER", "RECORD"].map(
  (word) => `DEAD_LETTER_KIND_${word}`,
);

function queryOf({ kind = 0, reason = "", text = "", channel = "", deadLetterId = "" }: Filter): string {
  const fields = { kind: words[kind]!, reason, text, channel, deadLetterId };
  return new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [`filter.${name}`, value]),
  ).toString();
}

const overRest: Calls = {
  kinds: () => json("dead-letter-kinds"),
  reasons: (kind) => json(`dead-letter-reasons?kind=${kind}`),
  list: (filter) => json(`dead-letters?${queryOf(filter)}`),
  get: (id) => json(`dead-letters/${encodeURIComponent(id)}`),
  count: (filter) => json(`dead-letters:count?${queryOf(filter)}`),
  replay: (filter) =>
    json("dead-letters:replay", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ filter }),
    }),
  async exported(filter) {
    const response = await rest(`dead-letters:export?${queryOf(filter)}`);
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    return await response.text();
  },
};

const url = (): string => server().url;
const protocols: readonly (readonly [string, () => Calls])[] = [
  ["gRPC", () => overRpc(createGrpcTransport({ baseUrl: url() }))],
  ["gRPC-Web", () => overRpc(createGrpcWebTransport({ baseUrl: url(), httpVersion: "1.1" }))],
  ["Connect", () => overRpc(createConnectTransport({ baseUrl: url(), httpVersion: "1.1" }))],
  ["REST", () => overRest],
];

/** Adds a dead letter to a file, as it was written before what refused it was corrected. */
async function keep(file: string, index: string | undefined, reason: string, line: string): Promise<void> {
  const path = join(server().data, file);
  await mkdir(dirname(path), { recursive: true });
  const letter = { time: new Date(), source: "test", format: undefined, message: "no", index, reason, line };
  await appendFile(path, encodeDeadLetter(letter));
}

interface Made {
  readonly reason: string;
  readonly content: string;
  /** How an export contains it. */
  readonly exported: string;
  /** What is found where it is handed on. */
  readonly mark: string;
}

interface Kind {
  readonly kind: DeadLetterKind;
  /** Makes one dead letter. */
  make(name: string): Promise<Made>;
  /** Returns what was handed on. */
  handedOn(): Promise<string>;
}

function madeOf(reason: string, content: string, mark: string): Made {
  return { reason, content, mark, exported: `"line":${JSON.stringify(content)}` };
}

async function sendMessage(name: string) {
  const { receiver, send } = server();
  receiver.status = 400;
  const content = `{"push_id":"${name}","params":{"n":9007199254740993},"#ops_receipt_properties":{}}`;
  await send(`[${content}]`);
  const calls = overRest;
  const filter = { kind: DeadLetterKind.WEBHOOK, channel: "demo" };
  await expect.poll(async () => (await calls.list(filter))["deadLetters"]).toHaveLength(1);
  receiver.status = 200;
  const [letter] = (await calls.list(filter))["deadLetters"] as { reason: string }[];
  return { reason: letter!.reason, content, exported: `"message":${content}}`, mark: name };
}

async function storedUsers(): Promise<string> {
  const query = {
    projectId: 1,
    useCache: false,
    eventView: {
      recentDay: "0-3",
      timeParticleSize: "total",
      groupBy: [{ columnName: "#account_id", tableType: "event" }],
    },
    events: [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES" }],
  };
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(query) };
  return (await fetch(`${url()}/open/event-analyze?token=query-token`, init)).text();
}

const kinds: readonly Kind[] = [
  { kind: DeadLetterKind.WEBHOOK, make: sendMessage, handedOn: async () => server().receiver.bodies.join() },
  {
    kind: DeadLetterKind.CLICK,
    async make(name) {
      const content = `{"#uuid":"click ${name}","n":9007199254740993}`;
      await keep("clicks/dead-letters.ndjson", undefined, `refused ${name}`, content);
      return madeOf(`refused ${name}`, content, `click ${name}`);
    },
    handedOn: async () =>
      server()
        .ingest.calls.map(({ text }) => text)
        .join(),
  },
  {
    kind: DeadLetterKind.PARSER,
    async make(name) {
      const content = JSON.stringify(trackOf(`line ${name}`));
      await keep("deadletters/parser.ndjson", "r", `invalid ${name}`, content);
      return madeOf(`invalid ${name}`, content, `line ${name}`);
    },
    handedOn: storedUsers,
  },
  {
    kind: DeadLetterKind.RECORD,
    async make(name) {
      const content = JSON.stringify([trackOf(`record ${name}`)]);
      await keep("deadletters/events.ndjson", "project 1", `type ${name}`, content);
      return madeOf(`type ${name}`, content, `record ${name}`);
    },
    handedOn: storedUsers,
  },
];

const table = protocols.flatMap(([name, callsOf]) =>
  kinds.map((kind) => [words[kind.kind]!, name, kind, callsOf] as const),
);

describe.each(table)("dead letters of %s over %s", (word, name, { kind, make, handedOn }, callsOf) => {
  it("are found, counted, exported and handed on again", async () => {
    const calls = callsOf();
    const { reason, content, exported: line, mark } = await make(name);
    // Counts by reason may be those of a moment ago.
    await expect
      .poll(async () => (await calls.kinds())["kinds"], { timeout: 5_000 })
      .toContainEqual(
        expect.objectContaining({ kind: word, count: "1", complete: true, replayObstacle: "" }),
      );
    await expect
      .poll(async () => (await calls.reasons(kind))["reasons"], { timeout: 5_000 })
      .toMatchObject([{ reason, count: "1", example: { kind: word, reason } }]);
    const filter = { kind, reason };
    const { deadLetters, nextPageToken } = await calls.list(filter);
    expect([deadLetters, nextPageToken]).toMatchObject([[{ kind: word, reason, lines: "1" }], ""]);
    const [{ deadLetterId }] = deadLetters as [{ deadLetterId: string }];
    const { deadLetter } = await calls.get(deadLetterId);
    const bytes = Buffer.from((deadLetter as { content: string }).content, "base64");
    expect([deadLetter, bytes.toString()]).toMatchObject([{ deadLetterId, contentIsCut: false }, content]);
    const exported = await calls.exported(filter);
    expect(exported.split("\n")).toHaveLength(2);
    expect(JSON.parse(exported)).toMatchObject({ reason, time: expect.stringMatching(/^20/) });
    expect(exported).toContain(line);
    expect(await calls.count({ kind, deadLetterId })).toMatchObject({ count: "1", nextPageToken: "" });
    expect(await calls.replay(filter)).toEqual({
      replayed: "1",
      refused: "0",
      incomplete: "0",
      firstRefusal: "",
      nextPageToken: "",
    });
    await expect.poll(handedOn, { timeout: 10_000 }).toContain(mark);
    expect(await calls.count(filter)).toMatchObject({ count: "0" });
    expect((await calls.list({ kind }))["deadLetters"]).toEqual([]);
  });
});

it("what is refused again stays a dead letter, with the reason", async () => {
  const { kind } = kinds[3]!;
  await keep(
    "deadletters/events.ndjson",
    "project 1",
    "event_name",
    JSON.stringify(trackOf("a", { "#event_name": "log in" })),
  );
  await keep("deadletters/events.ndjson", "project 1", "number_range", JSON.stringify(trackOf("a")));
  await keep("deadletters/events.ndjson", "project 7", "event_name", JSON.stringify(trackOf("a")));
  await keep("deadletters/parser.ndjson", "unknown", "no_format", "a line");
  expect(await overRest.replay({ kind, reason: "event_name" })).toMatchObject({
    replayed: "0",
    refused: "2",
    firstRefusal: expect.stringContaining("#event_name"),
  });
  expect(await overRest.replay({ kind, reason: "number_range" })).toMatchObject({
    refused: "1",
    firstRefusal: "the record is stored without the number, a replay would store it twice",
  });
  expect(await overRest.replay({ kind: DeadLetterKind.PARSER, reason: "no_format" })).toMatchObject({
    refused: "1",
    firstRefusal: expect.stringContaining('"unknown"'),
  });
  expect((await overRest.count({ kind }))["count"]).toBe("3");
});

it("records that are good are stored while their neighbours become dead letters of their own", async () => {
  const { kind } = kinds[3]!;
  const both = JSON.stringify([trackOf("good"), trackOf("bad", { "#event_name": "log in" })]);
  await keep("deadletters/events.ndjson", "project 1", "shared", both);
  expect(await overRest.replay({ kind, reason: "shared" })).toMatchObject({ replayed: "1", refused: "0" });
  await expect.poll(storedUsers, { timeout: 10_000 }).toContain("good");
  await expect
    .poll(async () => (await overRest.list({ kind, text: "log in" }))["deadLetters"])
    .toContainEqual(expect.objectContaining({ source: "event", projectId: "1" }));
});

describe("callers", () => {
  const auth = {
    keys: [
      { name: "viewer", sha256: sha256Hex("key-viewer"), access: "read" },
      { name: "parser", sha256: sha256Hex("key-parser"), methods: ["proto.Parser/*"] },
    ],
  };
  const guarded = openForAll((onEnd) => openWebhookServer({}, { onEnd, settings: { auth } }));

  it.each([
    ["key-viewer", "dead-letters?filter.kind=1", undefined, 200],
    ["key-viewer", "dead-letters:export?filter.kind=1", undefined, 200],
    ["key-viewer", "dead-letters:count?filter.kind=1", undefined, 200],
    ["key-viewer", "dead-letters:replay", { filter: { kind: 1 }, all: true }, 403],
    ["key-parser", "dead-letter-kinds", undefined, 403],
    ["", "dead-letter-kinds", undefined, 401],
  ])("with %j get from %s", async (key, path, body, status) => {
    const headers = { "x-api-key": key };
    expect((await guarded().rest(`/v1/${path}`, body, headers)).status).toBe(status);
  });

  it.each([
    ["click", "clicks are not sent to the platform, since webhook.clicks.forward is not set"],
    ["parser", "parsed records are not stored, since parser.store is not set"],
  ])("learn why dead letters of %s cannot be replayed", async (kind, message) => {
    const open = await openWebhookServer();
    const word = `DEAD_LETTER_KIND_${kind.toUpperCase()}`;
    const body = { filter: { kind: word }, all: true };
    const { status, text } = await open.rest("/v1/dead-letters:replay", body);
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
    const summary = JSON.parse((await open.rest("/v1/dead-letter-kinds")).text);
    expect(summary.kinds).toContainEqual(
      expect.objectContaining({ kind: word, replayObstacle: expect.stringContaining(message) }),
    );
  });
});
