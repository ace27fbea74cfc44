import { createHmac } from "node:crypto";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { brotliCompressSync, constants } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { folderWith } from "../../cmd/config/load.ts";
import { startEngage } from "../../cmd/run-engage.ts";
import { envelope, sendHttp2 } from "../raw.ts";
import { urlOf } from "../server-process.ts";
import { compressedHeads, floods, frame, preface, resetStreams, resets } from "./http2-frames.ts";

const secret = "a secret of the test";
const mebibyte = 2 ** 20;
const settings = {
  listen: "127.0.0.1:0",
  data: "data",
  log: { access: false },
  projects: [{ id: 1, appids: ["app-1"] }],
  webhook: {
    channels: { demo: { secrets: [{ value: secret }], targets: ["pulled"] } },
    targets: { pulled: { kind: "pull" } },
  },
  limits: {
    methods: { "proto.Parser/Parse": mebibyte },
    openBytesPerConnection: 24 * mebibyte,
    openBytesPerAddress: 48 * mebibyte,
    openBytes: 64 * mebibyte,
    maxConnectionsPerAddress: 100,
  },
};

/** A server in a process of its own. */
interface Target {
  readonly url: string;
  readonly port: number;
  metric(sample: RegExp): Promise<number>;
}

async function openTarget(): Promise<Target> {
  const child = startEngage(["serve"], { cwd: folderWith({ "engage.yaml": JSON.stringify(settings) }) });
  const url = await urlOf(child);
  return {
    url,
    port: Number(new URL(url).port),
    async metric(sample) {
      const text = await (await fetch(`${url}/metrics`)).text();
      return text
        .split("\n")
        .filter((line) => sample.test(line))
        .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    },
  };
}

let target: Target;
let carriers: { destroy(): void }[];
beforeEach(async () => {
  carriers = [];
  target = await openTarget();
});
afterEach(() => {
  for (const carrier of carriers) carrier.destroy();
});

function openSession(): ClientHttp2Session {
  const session = connectHttp2(target.url);
  session.on("error", () => undefined);
  carriers.push(session);
  return session;
}

function dial(): Socket {
  const socket = connect(target.port, "127.0.0.1")
    .on("error", () => undefined)
    .resume();
  carriers.push(socket);
  return socket;
}

/** Bodies that never end, as fast as they are taken. */
function upload(
  headers: Record<string, string>,
  { sessions = 2, streams = 40, start = "" as string | Uint8Array } = {},
): void {
  const part = Buffer.alloc(65_536, " ");
  for (let s = 0; s < sessions; s++) {
    const session = openSession();
    for (let i = 0; i < streams; i++) {
      const stream = session.request({ ":method": "POST", ...headers }).on("error", () => undefined);
      stream.resume().write(start);
      const pump = (): void => {
        while (!stream.destroyed && !stream.closed && stream.write(part));
        stream.once("drain", pump);
      };
      pump();
    }
  }
}

const json = { "content-type": "application/json" };
const signed = { ":path": "/webhook/demo", ...json, "x-svc-ops-signature": "0".repeat(40) };
const grpc = (method: string, more = {}) => ({
  ":path": `/engage.event.v1.EventCollector/${method}`,
  "content-type": "application/grpc",
  ...more,
});
const start = envelope(Buffer.alloc(0), 0, 15 * mebibyte);
const exhausted = /^engage_calls_total\{.*code="RESOURCE_EXHAUSTED"\}/;

/** Waits until calls were ended for want of memory or room. */
async function untilRefused(): Promise<void> {
  await vi.waitFor(async () => expect(await target.metric(exhausted)).toBeGreaterThan(0), patient);
}

const patient = { timeout: 60_000, interval: 100 };

async function bomb(headers: Record<string, string>, text: string, times: number): Promise<void> {
  const body = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
  const all = { ...headers, "content-encoding": "br" };
  const answers = await Promise.all(Array.from({ length: times }, () => sendHttp2(target.url, all, body)));
  for (const { status } of answers) expect([200, 400, 401, 413, 429]).toContain(status);
}

const attacks: Readonly<Record<string, () => Promise<void>>> = {
  async "bodies that never end, with a made-up signature"() {
    upload(signed);
    await untilRefused();
  },
  async "bodies that never end, with a public appid"() {
    upload({ ":path": "/sync_server", ...json, appid: "app-1" });
    await untilRefused();
  },
  async "gRPC messages that never end"() {
    upload(grpc("Track"), { start });
    await untilRefused();
  },
  async "compressed gRPC messages that never end"() {
    upload(grpc("Track", { "grpc-encoding": "gzip" }), { start });
    await untilRefused();
  },
  async "messages that never end of streams that never end"() {
    upload(grpc("TrackStream"), { start });
    await untilRefused();
  },
  async "JSON of Connect that never ends"() {
    upload({ ":path": "/engage.event.v1.EventCollector/Track", ...json });
    await untilRefused();
  },
  "bodies that inflate to a thousand times their size": () => bomb(signed, " ".repeat(9 * mebibyte), 60),
  "JSON of millions of lists": () =>
    bomb({ ":path": "/v1/audiences:estimate", ...json }, `{"a":[${"[],".repeat(4_000_000)}[]]}`, 10),
  "JSON of millions of members": () =>
    bomb(
      { ":path": "/v1/audiences:estimate", ...json },
      `{${Array.from({ length: 900_000 }, (_, i) => `"${i}":0`).join(",")}}`,
      10,
    ),
  "long lists of ids that are no texts": () =>
    bomb(
      { ":path": "/v1/audiences:estimate", ...json },
      `{"audience":{"pushIds":{"pushIds":[${"1,".repeat(900_000)}1]}}}`,
      5,
    ),
  async "watches without number"() {
    for (let s = 0; s < 3; s++) {
      const session = openSession();
      for (let i = 0; i < 300; i++) {
        const headers = { ":path": "/grpc.health.v1.Health/Watch", "content-type": "application/grpc" };
        const stream = session.request({ ":method": "POST", ...headers }).on("error", () => undefined);
        stream.resume().end(envelope(Buffer.alloc(0)));
      }
    }
    await untilRefused();
  },
  async "connections that say nothing, or a preface"() {
    const sockets = Array.from({ length: 300 }, dial);
    for (const socket of sockets.slice(0, 150)) socket.write(Buffer.concat([preface, frame("settings", 0)]));
    await untilClosed(sockets, 200);
  },
  async "requests whose bodies do not come"() {
    const sockets = Array.from({ length: 300 }, dial);
    for (const socket of sockets)
      socket.write(
        `POST /webhook/demo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nx-svc-ops-signature: ${"0".repeat(40)}\r\ncontent-length: 1000\r\n\r\n`,
      );
    await untilClosed(sockets, 200);
  },
  async "heads of few bytes that stand for 60 MB each"() {
    const socket = dial();
    const received: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.write(Buffer.concat([preface, frame("settings", 0), compressedHeads(300)]));
    const expected = Array.from({ length: 300 }, (_, i) => 3 + 2 * i);
    await vi.waitFor(() => expect(resetStreams(Buffer.concat(received))).toEqual(expected), patient);
    socket.destroy();
  },
  async "streams that are reset at once"() {
    const socket = dial().pause();
    socket.write(Buffer.concat([preface, frame("settings", 0)]));
    let next = 1;
    await flood(socket, () => {
      next += 2_000;
      return resets(next - 2_000, 1_000);
    });
  },
};

/** Waits until `count` of the sockets are closed. */
async function untilClosed(sockets: readonly Socket[], count: number): Promise<void> {
  const closed = (): number => sockets.filter((socket) => socket.closed).length;
  await vi.waitFor(() => expect(closed()).toBeGreaterThanOrEqual(count), patient);
}

/** Sends until the server closes the connection; nothing is read but the end. */
async function flood(socket: Socket, bytes: () => Buffer): Promise<void> {
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const pump = (): void => {
    while (!socket.destroyed && socket.write(bytes()));
    socket.once("drain", () => setImmediate(pump));
  };
  pump();
  await closed;
}

describe("an honest caller is answered, and memory is bounded, during", () => {
  test.each(Object.keys(attacks))("%s", async (name) => {
    await attacks[name]!();
    const body = "[]";
    const signature = createHmac("sha1", secret).update(body).digest("hex");
    const answer = await fetch(`${target.url}/webhook/demo`, {
      method: "POST",
      headers: { ...json, "x-svc-ops-signature": signature },
      body,
    });
    expect(answer.status).toBe(200);
    expect(await target.metric(/^process_resident_memory_bytes /)).toBeLessThan(700 * mebibyte);
  });
});

describe("a connection is closed that floods the server with", () => {
  test.each(Object.keys(floods))("%s", async (name) => {
    const { before = Buffer.alloc(0), again } = floods[name]!;
    const socket = dial().pause();
    socket.write(Buffer.concat([preface, frame("settings", 0), before]));
    const many = Buffer.concat(new Array<Buffer>(1_000).fill(again));
    await flood(socket, () => many);
    expect((await fetch(`${target.url}/healthz`)).status).toBe(200);
    expect(await target.metric(/^process_resident_memory_bytes /)).toBeLessThan(500 * mebibyte);
  });
});
