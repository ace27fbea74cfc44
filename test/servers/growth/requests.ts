import { createHmac } from "node:crypto";
import { brotliCompressSync, constants } from "node:zlib";
import { envelope } from "../../e2e/raw.ts";
import { binaryRequests, wrap } from "./protobuf.ts";
import { formShapes, jsonShapes, lineShapes, type Shape } from "./shapes.ts";

export interface GrowingRequest {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent over HTTP/2; HTTP/1.1 is for all else. */
  readonly isHttp2?: boolean;
  /** Makes a body of about `length` bytes. */
  readonly body: (length: number) => Buffer;
}

export const token = "a-token-of-project-1";
export const secret = "a-secret-of-webhooks";

/** The server that the requests are for. */
export const config = {
  log: { access: false },
  projects: [{ id: 1, appids: ["app"], zone: "UTC" }],
  analysis: { tokens: [{ name: "all", token, projects: "*" }] },
  webhook: {
    channels: { demo: { secrets: [{ value: secret }], targets: ["none"] } },
    targets: { none: { kind: "pull" } },
  },
  parser: {
    separator: ":ta:",
    formats: [
      {
        name: "json",
        index: "json",
        type: "json",
        rest: "all",
        mapping: {
          "#type": { value: "track" },
          "#account_id": "a",
          "#time": { from: "b", type: "time", format: "iso" },
          "#event_name": { value: "line" },
        },
      },
      {
        name: "delimited",
        index: "delimited",
        type: "delimited",
        separator: "|",
        columns: ["a", "b", "c"],
        mapping: {
          "#type": { value: "track" },
          "#account_id": "a",
          "#event_name": { value: "line" },
          tuples: { from: "c", type: "tuples", parts: ["x", "y"] },
        },
      },
      {
        name: "regex",
        index: "regex",
        type: "regex",
        pattern: "^(?P<a>[^|]*)\\|(?P<b>.*?)\\s*(?P<c>[a-z ]*)$",
        mapping: { "#type": { value: "track" }, "#account_id": "a", "#event_name": { value: "line" } },
      },
      {
        name: "logfmt",
        index: "logfmt",
        type: "logfmt",
        rest: "all",
        mapping: { "#type": { value: "track" }, "#account_id": "a", "#event_name": { value: "line" } },
      },
      {
        name: "access_log",
        index: "access_log",
        type: "access_log",
        mapping: {
          "#type": { value: "track" },
          "#distinct_id": "remote_addr",
          "#event_name": { value: "line" },
        },
      },
      {
        name: "syslog",
        index: "syslog",
        type: "syslog",
        mapping: {
          "#type": { value: "track" },
          "#distinct_id": "hostname",
          "#event_name": { value: "line" },
        },
      },
      { name: "records", index: "pass_through", type: "pass_through" },
    ],
  },
};

const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const record = '{"#type":"track","#event_name":"e","#account_id":"a","#time":"2026-01-01 00:00:00"';
const query = '{"projectId":1,"useCache":false,';
const view = '"eventView":{"recentDay":"1-7","timeParticleSize":"day"';
const metric = '"type":"normal","eventName":"e","analysis":"TOTAL_TIMES"';

/** Where a JSON value stands in a body; `$` is the value. */
const jsonPlaces: readonly (readonly [name: string, path: string, frame: string])[] = [
  ["a query", `/open/event-analyze?token=${token}`, "$"],
  ["a view", `/open/event-analyze?token=${token}`, `${query}"events":[{${metric}}],"eventView":$}`],
  ["filters", `/open/event-analyze?token=${token}`, `${query}${view},"filts":$},"events":[{${metric}}]}`],
  [
    "literals",
    `/open/event-analyze?token=${token}`,
    `${query}${view},"filts":[{"columnName":"#account_id","tableType":"event","comparator":"equal","ftv":$}]},"events":[{${metric}}]}`,
  ],
  ["group-by", `/open/event-analyze?token=${token}`, `${query}${view},"groupBy":$},"events":[{${metric}}]}`],
  ["metrics", `/open/event-analyze?token=${token}`, `${query}${view}},"events":$}`],
  [
    "a slice",
    `/open/event-user-list?token=${token}`,
    `${query}${view}},"events":[{${metric}}],"eventIndex":0,"sliceGroupVal":$}`,
  ],
  ["a query without a token", "/open/event-analyze", "$"],
  ["a query with a wrong token", "/open/event-analyze?token=wrong", "$"],
  ["records", "/sync_server", "$"],
  ["properties", "/sync_server", `[${record},"properties":$}]`],
  ["a property", "/sync_server", `[${record},"properties":{"a":$}}]`],
  ["debugged properties", "/data_debug", `[${record},"properties":$}]`],
  ["a record of a browser", "/sync_js", `${record},"properties":$}`],
  ["records to track", "/v1/events:track", `{"projectId":"1","records":$}`],
  [
    "tracked properties",
    "/v1/events:track",
    `{"projectId":"1","records":[{"type":"TRACK","eventName":"e","accountId":"a","properties":$}]}`,
  ],
  ["push ids", "/v1/audiences:estimate", '{"projectId":"1","audience":{"pushIds":{"pushIds":$}}}'],
  [
    "conditions of an audience",
    "/v1/audiences:estimate",
    '{"projectId":"1","audience":{"users":{"filts":$}}}',
  ],
  ["a channel", "/v1/channels", '{"channel":$}'],
  ["a channel's template", "/v1/channels", '{"channel":{"name":"c","url":"http://127.0.0.1/","template":$}}'],
  ["a task", "/v1/tasks", '{"task":$}'],
  ["a test", "/v1/channels:test", '{"channelId":"c","pushId":"p","content":$}'],
  ["clicks", "/v1/webhook/clicks", '{"channel":"demo","clicks":$}'],
  ["leases", "/v1/webhook/messages:settle", '{"results":$}'],
  ["a message over Connect", "/engage.channel.v1.ChannelSender/CreateTask", '{"task":$}'],
  [
    "a query over Connect",
    "/engage.analysis.v1.AnalysisProxy/AnalyzeEvents",
    `{"token":"${token}","query":$}`,
  ],
];

const webhookPlaces: readonly (readonly [name: string, frame: string])[] = [
  ["a webhook", "$"],
  ["parameters of a webhook", '[{"push_id":"p","params":$,"#ops_receipt_properties":{}}]'],
  ["receipts of a webhook", '[{"push_id":"p","#ops_receipt_properties":$}]'],
];

/** Bodies are sent as an attacker sends them: small on the wire. */
function compress(text: string): Buffer {
  return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

const compressed = { "content-encoding": "br" };

function combine<Place>(
  places: readonly Place[],
  shapes: Readonly<Record<string, Shape>>,
  build: (place: Place, shapeName: string, shape: Shape) => GrowingRequest,
): readonly GrowingRequest[] {
  return places.flatMap((place) => Object.entries(shapes).map(([name, shape]) => build(place, name, shape)));
}

const jsonRequests = combine(jsonPlaces, jsonShapes, ([place, path, frame], shapeName, shape) => ({
  name: `${place}: ${shapeName}`,
  path,
  headers: { ...json, ...compressed, appid: "app" },
  body: (length) => compress(frame.replace("$", () => shape(length))),
}));

const webhookRequests = combine(webhookPlaces, jsonShapes, ([place, frame], shapeName, shape) => ({
  name: `${place}: ${shapeName}`,
  path: "/webhook/demo",
  headers: json,
  body: (length) => Buffer.from(frame.replace("$", () => shape(length))),
}));

const formPaths = ["/sync_server", "/sync_js", "/data_debug", "/sync_xcx", "/logbus"];
const formCallers = [
  ["", {}],
  ["?appid=app", {}],
  ["?appid=nobody", {}],
] as const;
const formPlaces = formPaths.flatMap((path) =>
  formCallers.map(([search, headers]) => ({ path: path + search, headers })),
);
const formRequests = combine(formPlaces, formShapes, ({ path, headers }, shapeName, shape) => ({
  name: `a form to ${path}: ${shapeName}`,
  path,
  headers: { ...form, ...compressed, ...headers },
  body: (length) => compress(shape(length)),
}));

/** A message with one field of bytes, number 1. */
const parseRequest = (content: Buffer): Buffer => wrap(1, content);

const formats = config.parser.formats.map(({ index }) => index);
const parsed = { path: "/proto.Parser/Parse", headers: { "content-type": "application/proto" } };
const longLines = combine(formats, lineShapes, (format, shapeName, shape) => ({
  ...parsed,
  name: `a line of ${format}: ${shapeName}`,
  body: (length) => parseRequest(Buffer.from(`${format}|ta|${shape(length)}`)),
}));
const manyLines = combine(formats, lineShapes, (format, shapeName, shape) => {
  const item = `${format}|ta|${shape(60)}:ta:`;
  return {
    ...parsed,
    name: `many lines of ${format}: ${shapeName}`,
    body: (length) => parseRequest(Buffer.from(item.repeat(length / item.length))),
  };
});
const framings = ["|ta|", ":ta:", ":ta", "|ta", ":ta:|ta|", "|ta|:ta:", "a|ta|:ta:b"].map((piece) => ({
  ...parsed,
  name: `framing of ${piece}`,
  body: (length: number) => parseRequest(Buffer.from(piece.repeat(length / piece.length))),
}));

/** The same messages as each protocol sends them; natively gRPC is another way through the server than all else. */
const overConnect = binaryRequests.map(({ name, path, message }) => ({
  name,
  path,
  headers: { "content-type": "application/proto" },
  body: message,
}));
const forAll = binaryRequests.filter(({ isForAll }) => isForAll);
const overGrpcWeb = forAll.map(({ name, path, message }) => ({
  name: `${name} over gRPC-Web`,
  path,
  headers: { "content-type": "application/grpc-web+proto" },
  body: (length: number) => envelope(message(length)),
}));
const overGrpc = forAll.map(({ name, path, message }) => ({
  name: `${name} over gRPC`,
  path,
  headers: { "content-type": "application/grpc", te: "trailers" },
  isHttp2: true,
  body: (length: number) => envelope(message(length)),
}));

/** The header that a webhook is signed with. */
export function signatureOf({ path }: GrowingRequest, body: Buffer): Readonly<Record<string, string>> {
  if (!path.startsWith("/webhook/")) return {};
  return { "x-svc-ops-signature": createHmac("sha1", secret).update(body).digest("hex") };
}

export const growingRequests: readonly GrowingRequest[] = [
  ...jsonRequests,
  ...webhookRequests,
  ...formRequests,
  ...longLines,
  ...manyLines,
  ...framings,
  ...overConnect,
  ...overGrpcWeb,
  ...overGrpc,
];
