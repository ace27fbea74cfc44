import { toJson } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../cmd/config/config.ts";
import { startServer } from "../../cmd/serve/server.ts";
import { EventCollector } from "../../gen/engage/event/v1/event_collector_pb.ts";
import {
  type RecordVerdict,
  RecordWatcher,
  type WatchRecordsResponse,
  WatchRecordsResponseSchema,
} from "../../gen/engage/event/v1/record_watcher_pb.ts";
import { Parser } from "../../gen/proto/parser_pb.ts";
import { folderWith } from "../cmd/config/load.ts";
import { recordTime, trackOf } from "../cmd/event-server.ts";
import { type OnEnd, openForAll } from "../open-for-all.ts";

const settings = {
  listen: "127.0.0.1:0",
  log: { level: "silent" },
  drainMs: 2_000,
  projects: [
    { id: 1, appids: ["app", "other"] },
    { id: 2, appids: ["second"] },
  ],
  events: { batch: { maxDelayMs: 20 }, spool: { minFreeBytes: 0 }, engine: { memoryBytes: 268_435_456 } },
  webhook: { clicks: { appid: "app" } },
  parser: { store: { project: 1 }, formats: [{ name: "r", index: "r", type: "pass_through" }] },
};

async function openServer(onEnd: OnEnd) {
  const cwd = folderWith({ "engage.yaml": JSON.stringify(settings) }, onEnd);
  const running = await startServer(loadConfig({ env: {}, cwd }).config);
  onEnd(() => running.stop());
  return running;
}

const server = openForAll(openServer);
const url = (): string => server().address.url;

const kinds: readonly (readonly [string, (baseUrl: string) => Transport])[] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
];

/** Begins a watch of project 1; returns a function that resolves with as many records. */
async function watch(transport: Transport, filter: object = {}) {
  const caller = new AbortController();
  onTestFinished(() => caller.abort());
  const responses = createClient(RecordWatcher, transport)
    .watchRecords({ projectId: 1n, ...filter }, { signal: caller.signal })
    [Symbol.asyncIterator]();
  const begun = await responses.next();
  expect(begun.value).toMatchObject({ records: [], skipped: 0n });
  return async (count: number): Promise<readonly unknown[]> => {
    const records: unknown[] = [];
    while (records.length < count) {
      const { value } = (await responses.next()) as IteratorResult<WatchRecordsResponse, undefined>;
      records.push(
        ...(
          toJson(WatchRecordsResponseSchema, value!, { alwaysEmitImplicit: true }) as { records: unknown[] }
        ).records,
      );
    }
    return records;
  };
}

async function send(path: string, body: object, appid = "app"): Promise<string> {
  const headers = { "content-type": "application/json", appid, compress: "none" };
  return (await fetch(`${url()}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).text();
}

const grpc = (): Transport => createGrpcTransport({ baseUrl: url() });
const verdict = (record: unknown): unknown => (record as { verdict: string }).verdict;

describe.each(kinds)("over %s", (name, transportOf) => {
  it("records are shown with what became of them", async () => {
    const next = await watch(transportOf(url()));
    const uuid = `u-${name}`;
    await send("/sync_server", [trackOf("ann", { "#uuid": uuid, properties: { watched: 1 } })]);
    expect(await next(1)).toMatchObject([
      {
        receivedTime: expect.stringMatching(/^20/),
        appid: "app",
        type: "track",
        eventName: "login",
        verdict: "RECORD_VERDICT_ACCEPTED",
        json: expect.stringMatching(/^\{"#type":"track",.*"properties":\{"watched":1\}/),
      },
    ]);
    await send("/sync_server", [
      trackOf("ann", { "#uuid": uuid }),
      trackOf("bob", { properties: { watched: "one" } }),
      trackOf("cid", { "#event_name": "log in" }),
    ]);
    expect(await next(3)).toMatchObject([
      { verdict: "RECORD_VERDICT_REPEATED", repeatedId: "#uuid" },
      {
        verdict: "RECORD_VERDICT_PROPERTIES_DROPPED",
        dropped: [{ name: "watched", reason: "DROP_REASON_TYPE" }],
      },
      {
        verdict: "RECORD_VERDICT_REFUSED",
        eventName: "log in",
        refused: { reason: "REFUSAL_REASON_EVENT_NAME", field: "#event_name" },
      },
    ]);
  });
});

describe("over REST", () => {
  it("records are lines of JSON, filtered by the query", async () => {
    const caller = new AbortController();
    onTestFinished(() => caller.abort());
    const response = await fetch(
      `${url()}/v1/projects/1/records:watch?eventNames=paid&verdicts=RECORD_VERDICT_ACCEPTED`,
      { signal: caller.signal },
    );
    expect(response.status).toBe(200);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value ?? "";
    await send("/sync_server", [trackOf("ann"), trackOf("ann", { "#event_name": "paid" })]);
    while (!text.includes("paid")) text += (await reader.read()).value ?? "";
    expect(text).not.toContain("login");
  });
});

describe("every way of collection", () => {
  it.each<[string, () => Promise<unknown>, object]>([
    ["SDKs, debugged", () => send("/sync_json?debug=1", [trackOf("a")]), { appid: "app" }],
    ["data_debug", () => send("/data_debug", [trackOf("a")]), { appid: "app" }],
    [
      "Track",
      () =>
        createClient(EventCollector, grpc()).track({
          project: { case: "projectId", value: 1n },
          jsonLines: Buffer.from(JSON.stringify(trackOf("a", { "#app_id": "own" }))),
        }),
      { appid: "own" },
    ],
    [
      "Parse",
      () =>
        createClient(Parser, grpc()).parse({
          content: Buffer.from(`r|ta|${JSON.stringify(trackOf("a"))}`),
        }),
      { appid: "" },
    ],
    [
      "clicks",
      () => send("/v1/webhook/clicks", { pushId: "ann", "#ops_receipt_properties": { ops_project_id: 1 } }),
      { eventName: "ops_push_click" },
    ],
    [
      "users",
      () =>
        send("/sync_server", [
          { "#type": "user_set", "#account_id": "a", "#time": recordTime(), properties: { n: 1 } },
        ]),
      { type: "user_set", eventName: "" },
    ],
  ])("%s is shown", async (_name, collect, shown) => {
    const next = await watch(grpc());
    await collect();
    expect(await next(1)).toMatchObject([{ verdict: "RECORD_VERDICT_ACCEPTED", ...shown }]);
  });

  it("also shows what is refused at its receipt, once", async () => {
    const next = await watch(grpc());
    await createClient(EventCollector, grpc()).track({
      project: { case: "appid", value: "other" },
      jsonLines: Buffer.from(`{"a":\n{"#type":"track","#event_name":"1"}\n${JSON.stringify(trackOf("a"))}`),
    });
    const [first, second, third] = await next(3);
    expect(first).toMatchObject({
      appid: "other",
      json: '"{\\"a\\":"',
      refused: { reason: "REFUSAL_REASON_NOT_JSON" },
    });
    expect(second).toMatchObject({ type: "track", eventName: "1", verdict: "RECORD_VERDICT_REFUSED" });
    expect(verdict(third)).toBe("RECORD_VERDICT_ACCEPTED");
  });

  it("shows a project its own records", async () => {
    const next = await watch(grpc());
    await send("/sync_server", [trackOf("x", { "#event_name": "elsewhere" })], "second");
    await send("/sync_server", [trackOf("y", { "#event_name": "here" })]);
    expect(await next(1)).toMatchObject([{ eventName: "here" }]);
  });
});

describe("a watch", () => {
  const refusal = async (request: object): Promise<ConnectError> => {
    const responses = createClient(RecordWatcher, grpc()).watchRecords(request)[Symbol.asyncIterator]();
    return ConnectError.from(await responses.next().catch((error: unknown) => error));
  };

  it.each([
    [
      "an unknown project",
      { projectId: 9n },
      Code.NotFound,
      "project_id 9 is not configured, see projects of the configuration",
    ],
    [
      "too many names",
      { projectId: 1n, eventNames: new Array<string>(21).fill("a") },
      Code.InvalidArgument,
      "event_names has 21 names, valid are at most 20",
    ],
    [
      "no verdict",
      { projectId: 1n, verdicts: [0 as RecordVerdict] },
      Code.InvalidArgument,
      /^verdicts\[0\] is 0, valid are/,
    ],
  ])("of %s is refused", async (_name, request, code, message) => {
    const error = await refusal(request);
    expect(error.code).toBe(code);
    expect(error.rawMessage).toMatch(message);
  });

  it("is refused while too many are open", async () => {
    const callers: AbortController[] = [];
    for (let i = 0; i < 32; i++) {
      const caller = new AbortController();
      callers.push(caller);
      const responses = createClient(RecordWatcher, grpc()).watchRecords(
        { projectId: 1n },
        { signal: caller.signal },
      );
      await responses[Symbol.asyncIterator]().next();
    }
    expect(await refusal({ projectId: 1n })).toMatchObject({ code: Code.ResourceExhausted });
    for (const caller of callers) caller.abort();
  });

  it("ends when the server stops", async () => {
    const running = await openServer(onTestFinished);
    const transport = createGrpcTransport({ baseUrl: running.address.url });
    const responses = createClient(RecordWatcher, transport)
      .watchRecords({ projectId: 1n })
      [Symbol.asyncIterator]();
    await responses.next();
    const ended = responses.next();
    ended.catch(() => {});
    await running.stop();
    await expect(ended).rejects.toMatchObject({ code: Code.Unavailable });
  });
});
