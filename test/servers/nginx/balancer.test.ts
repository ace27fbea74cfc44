import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../../cmd/serve/server.ts";
import { ParserClient } from "../../e2e/parser-client.ts";
import { type Balancer, startBalancer } from "./balancer.ts";

const folder = mkdtempSync(join(tmpdir(), "engage-balanced-"));
const line = "2024-01-10 08:15:02 install less:amd64 <none> 590-2";
const replicas: RunningServer[] = [];
let balancer: Balancer;

beforeAll(async () => {
  for (const name of ["first", "second"]) replicas.push(await startReplica(name));
  balancer = await startBalancer([replicas[0]!.address.port, replicas[1]!.address.port]);
});
afterAll(async () => {
  await balancer[Symbol.asyncDispose]();
  for (const replica of replicas) await replica.stop();
  rmSync(folder, { recursive: true });
});

function startReplica(name: string): Promise<RunningServer> {
  const env = {
    ENGAGE_LISTEN: "127.0.0.1:0",
    ENGAGE_DATA: join(folder, name),
    ENGAGE_LOG_LEVEL: "silent",
    ENGAGE_GATEWAY_HOSTS: "127.0.0.1",
  };
  return startServer(loadConfig({ env, cwd: folder }).config);
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

interface Call {
  readonly method?: string;
  readonly type?: string;
  readonly body?: string;
}

/** Makes one call over HTTP/1.1 and a connection of its own. */
async function call(
  { port, cert }: Balancer,
  path: string,
  { method = "GET", type, body }: Call = {},
): Promise<Reply> {
  const headers = type === undefined ? {} : { "content-type": type };
  const place = { host: "127.0.0.1", port, path, ca: cert, servername: "localhost" };
  const sent = request({ ...place, method, headers, agent: false }).end(body);
  const [response] = await once(sent, "response");
  const status = response.statusCode as number;
  return { status, type: String(response.headers["content-type"]), body: await text(response) };
}

/** Makes one call over HTTP/2. */
async function callHttp2(
  session: ClientHttp2Session,
  path: string,
  type: string,
  body: string,
): Promise<Reply> {
  const stream = session.request({ ":path": path, ":method": "POST", "content-type": type, te: "trailers" });
  stream.end(body);
  const [headers] = await once(stream, "response");
  return { status: headers[":status"], type: headers["content-type"], body: await text(stream) };
}

const parseJson = JSON.stringify({ content: Buffer.from(`dpkg.log|ta|${line}`).toString("base64") });

it("serves HTTP/1.1, HTTP/2, gRPC and gRPC-Web on one port", async () => {
  expect(await call(balancer, "/readyz")).toMatchObject({ status: 200 });
  const posted = await call(balancer, "/proto.Parser/Parse", {
    method: "POST",
    type: "application/json",
    body: parseJson,
  });
  expect(posted).toMatchObject({ status: 200, type: "application/json" });
  const session = connectHttp2(`https://127.0.0.1:${balancer.port}`, {
    ca: balancer.cert,
    servername: "localhost",
  });
  expect(await callHttp2(session, "/proto.Parser/Parse", "application/json", parseJson)).toEqual(posted);
  const empty = "\0\0\0\0\0";
  const web = await callHttp2(session, "/proto.Parser/Parse", "application/grpc-web+proto", empty);
  expect(web).toMatchObject({ status: 200, type: "application/grpc-web+proto" });
  expect(web.body).toContain("grpc-status");
  session.close();
  using client = new ParserClient(balancer.port, balancer.cert);
  const record = (await client.parse(`dpkg.log|ta|${line}`)).toString();
  expect(JSON.parse(posted.body)).toEqual({ content: Buffer.from(record).toString("base64") });
});

it("passes each message of a stream as it comes", async () => {
  using client = new ParserClient(balancer.port, balancer.cert);
  const stream = client.parseLines();
  for (const number of [0, 1, 2]) {
    stream.write({ index: "dpkg.log", lines: [Buffer.from(line)] });
    const [{ results }] = await once(stream, "data");
    expect(results).toMatchObject([{ lineNumber: number }]);
  }
  stream.end();
  await once(stream, "status");
});

it("passes bytes of HTTP bodies as they come", async () => {
  const echo = createHttpServer((request, response) => void request.pipe(response)).listen(0, "127.0.0.1");
  await once(echo, "listening");
  const { port } = echo.address() as AddressInfo;
  await using pair = await startBalancer([port, port]);
  const place = { host: "127.0.0.1", port: pair.port, ca: pair.cert, servername: "localhost" };
  const sent = request({ ...place, method: "POST", agent: false });
  sent.write("first");
  const [response] = await once(sent, "response");
  expect(String((await once(response, "data"))[0])).toBe("first");
  sent.end("second");
  expect(await text(response)).toBe("second");
  echo.close();
});

it("takes all calls to the other replica after one has gone", async () => {
  const first = await startReplica("third");
  await using pair = await startBalancer([first.address.port, replicas[1]!.address.port]);
  using client = new ParserClient(pair.port, pair.cert);
  const callAll = async () => {
    const calls = Array.from({ length: 10 }, async () => {
      const parsed = await client.parse("x|ta|{}");
      const { status } = await call(pair, "/readyz");
      return [parsed.toString(), status];
    });
    return Promise.all(calls);
  };
  const expected = Array.from({ length: 10 }, () => ["{}", 200]);
  expect(await callAll()).toEqual(expected);
  await first.stop();
  expect(await callAll()).toEqual(expected);
});

/** A replica that reads something of each connection and closes it. */
async function startBroken() {
  let received = 0;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      received++;
      socket.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    received: () => received,
    [Symbol.dispose]: () => void server.close(),
  };
}

const json = { method: "POST", type: "application/json", body: "{}" };
const grpc = { method: "POST", type: "application/grpc", body: "\0\0\0\0\0" };
it.each([
  ["GET", "again, since it changes nothing", { method: "GET" }, 2],
  ["POST", "once, since it may have been served", json, 1],
  ["a gRPC call", "once, since it may have been served", grpc, 1],
])("sends %s whose replica closed the connection %s", async (_name, _times, sent, times) => {
  using first = await startBroken();
  using second = await startBroken();
  await using pair = await startBalancer([first.port, second.port]);
  expect(await call(pair, "/open/event-analyze?token=a-query-token", sent)).toMatchObject({ status: 502 });
  expect(first.received() + second.received()).toBe(times);
  await vi.waitFor(() => expect(pair.logs()).toContain('/open/event-analyze" 502'));
  expect(pair.logs()).not.toContain("a-query-token");
});
