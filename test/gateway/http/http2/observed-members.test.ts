import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { noHeaders, withHeader } from "../../../../gateway/http/http2/header-block.ts";
import { type OpenStream, ResponseObserver } from "../../../../gateway/http/http2/observed-members.ts";

const response = {
  head: withHeader(noHeaders, ":status", "200"),
  body: Buffer.from("body"),
  trailers: withHeader(noHeaders, "grpc-status", "0"),
};
const options = { waitForTrailers: true, sendDate: false };
/** More than are observed at a time. */
const many = 300;

let observer = new ResponseObserver();
let reports = 0;
/** What the server does with a stream beside observing it. */
let change: (stream: OpenStream) => void = () => undefined;
beforeEach(() => {
  observer = new ResponseObserver();
  reports = 0;
  change = () => undefined;
});

const server = createServer({ settings: { maxConcurrentStreams: 2 * many } }, undefined).listen(
  0,
  "127.0.0.1",
);
server.on("stream", (stream: ServerHttp2Stream) => {
  stream.on("error", () => undefined);
  change(stream as OpenStream);
  observer.observe(stream as OpenStream, response, () => {
    reports++;
  });
  stream.respond({ ":status": 200 }, options);
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(response.body);
});
await once(server, "listening");
afterAll(() => void server.close());

/** @param window how many bytes of each response the client takes */
async function open(window: number): Promise<ClientHttp2Session> {
  const { port } = server.address() as AddressInfo;
  const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: window } });
  onTestFinished(() => session.destroy());
  await once(session, "remoteSettings");
  return session;
}

async function readAll(session: ClientHttp2Session): Promise<void> {
  await once(session.request({ ":path": "/" }).resume(), "close");
}

/** Begins many responses that wait for their peer. */
async function begin(session: ClientHttp2Session, count = many): Promise<readonly ClientHttp2Stream[]> {
  const requests = Array.from({ length: count }, () => session.request({ ":path": "/" }).resume());
  await Promise.all(requests.map((request) => once(request, "response")));
  return requests;
}

const native = (stream: OpenStream): Record<string, unknown> => {
  const symbol = Object.getOwnPropertySymbols(stream).find(({ description }) => description === "kHandle");
  return stream[symbol as symbol] as Record<string, unknown>;
};

test("a response that Node sends in the known way is reported", async () => {
  await readAll(await open(65_535));
  expect(reports).toBe(1);
});

test("a response is reported beside many that wait for their peer", async () => {
  await begin(await open(0));
  await readAll(await open(65_535));
  expect(reports).toBe(1);
});

test("a response is reported after many that were reset", async () => {
  const requests = await begin(await open(0));
  for (const request of requests) request.close(constants.NGHTTP2_CANCEL);
  await Promise.all(requests.map((request) => once(request, "close")));
  await readAll(await open(65_535));
  expect(reports).toBe(1);
});

test("of many responses that wait, the first are no longer observed", async () => {
  const session = await open(0);
  const requests = await begin(session);
  session.settings({ initialWindowSize: 65_535 });
  await Promise.all(requests.map((request) => once(request, "close")));
  expect(reports).toBe(256);
});

test("a response that waits stays observed while others end", async () => {
  const session = await open(0);
  const [first] = await begin(session, 1);
  const other = await open(0);
  for (const count of [150, 150]) {
    const requests = await begin(other, count);
    for (const request of requests) request.close(constants.NGHTTP2_CANCEL);
    await Promise.all(requests.map((request) => once(request, "close")));
  }
  session.settings({ initialWindowSize: 65_535 });
  await once(first as ClientHttp2Stream, "close");
  expect(reports).toBe(1);
});

const others: readonly [name: string, change: (stream: OpenStream) => void][] = [
  [
    "another head",
    (stream) => {
      const { respond } = stream;
      stream.respond = (head, options) => respond.call(stream, { ...head, "x-other": "1" }, options);
    },
  ],
  [
    "a body of two writes",
    (stream) => {
      const end = stream.end.bind(stream) as (body: Buffer) => OpenStream;
      stream.end = ((body: Buffer) => {
        stream.write(body.subarray(0, 1), () => end(body.subarray(1)));
        return stream;
      }) as OpenStream["end"];
    },
  ],
  [
    "trailers at once",
    (stream) => {
      const handle = native(stream);
      stream.end = (() => {
        stream.emit("wantTrailers");
        return stream;
      }) as OpenStream["end"];
      stream.sendTrailers = () => {
        (handle["trailers"] as (block: unknown) => void)(response.trailers);
        stream.close();
      };
    },
  ],
  [
    "another reader",
    (stream) => {
      const handle = native(stream);
      const read = handle["onread"] as (...values: unknown[]) => unknown;
      handle["onread"] = function (this: unknown, ...values: unknown[]) {
        return Reflect.apply(read, this, values);
      };
    },
  ],
];

test.each(others)("a response with %s is not reported", async (_name, how) => {
  change = how;
  await readAll(await open(65_535));
  expect(reports).toBe(0);
});

test.each([others[0], others.at(-1)] as typeof others)(
  "after many responses with %s no more are observed",
  async (_name, how) => {
    change = how;
    const session = await open(65_535);
    await Promise.all(Array.from({ length: many }, () => readAll(session)));
    change = () => undefined;
    await readAll(session);
    expect(reports).toBe(0);
  },
);
