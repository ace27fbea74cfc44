import { createHmac } from "node:crypto";
import { Agent, request } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, constants } from "node:zlib";
import { secret, token } from "./settings.ts";

/** Attacks the server on this port of loopback until the signal is aborted. */
export type Attack = (port: number, signal: AbortSignal) => Promise<void>;

const host = "127.0.0.1";
const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const brotli = { "content-encoding": "br" };

/** Sends one body repeatedly over a few connections and ignores the responses. */
function repeatedly(
  path: string,
  headers: Readonly<Record<string, string>>,
  makeBody: () => Buffer,
  connections = 4,
): Attack {
  return async (port, signal) => {
    const body = makeBody();
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const one = () =>
      new Promise<void>((resolve) => {
        const sent = { ...headers, "content-length": String(body.length) };
        const call = request(
          { host, port, path, method: "POST", headers: sent, agent, signal },
          (response) => {
            response.resume().once("close", resolve);
          },
        );
        call.once("error", () => resolve());
        call.end(body);
      });
    const loop = async () => {
      while (!signal.aborted) {
        await one();
        // A server that refuses at once would otherwise get as many calls as this process can make.
        await sleep(5);
      }
    };
    await Promise.all(Array.from({ length: connections }, loop));
    agent.destroy();
  };
}

/** Compresses at a low quality: a higher one takes minutes. */
const compressed = (text: string): Buffer =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
const many = (count: number, piece: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => piece(at)).join();
const mebi = 1_048_576;

const view = '"eventView":{"recentDay":"1-7","timeParticleSize":"day"';
const metrics = '"events":[{"type":"normal","eventName":"play","analysis":"TOTAL_TIMES"}]';
const condition = (at: number) =>
  `{"columnName":"city","tableType":"event","comparator":"equal","ftv":[${many(3_000, (n) => `"${at}-${n}"`)}]}`;
const mixedCase = (at: number) => many(10, (bit) => ((at >> bit) & 1 ? "A" : "a")).replaceAll(",", "");

/** Resolves when the signal is aborted. */
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });

/** Opens streams of HTTP/2 connections and never ends them. */
const openStreams = (connections: number, streams: number, path: string, bytes: number): Attack => {
  return async (port, signal) => {
    const sessions = Array.from({ length: connections }, () => {
      const session = connectHttp2(`http://${host}:${port}`);
      session.on("error", () => undefined);
      const headers = {
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
      };
      for (let at = 0; at < streams; at++) {
        const stream = session.request(headers);
        stream.on("error", () => undefined);
        stream.resume();
        if (bytes > 0) stream.write(Buffer.alloc(bytes));
        // A whole message without content.
        else stream.write(Buffer.alloc(5));
      }
      return session;
    });
    await untilAborted(signal);
    for (const session of sessions) session.destroy();
  };
};

const sockets = (count: number, start: string, more: string): Attack => {
  return async (port, signal) => {
    const open = Array.from({ length: count }, () => {
      const socket = connect(port, host);
      socket.on("error", () => undefined);
      socket.resume();
      if (start !== "") socket.write(start);
      return socket;
    });
    while (!signal.aborted) {
      await sleep(500);
      if (more !== "") for (const socket of open) if (socket.writable) socket.write(more);
    }
    for (const socket of open) socket.destroy();
  };
};

/** New names with each request. */
const newNames: Attack = async (port, signal) => {
  for (let round = 0; !signal.aborted; round++) {
    const records = many(
      2_000,
      (at) =>
        `{"#type":"track","#event_name":"e${round}_${at}","#account_id":"a","#time":"2026-01-01 00:00:00","properties":{"p${round}_${at}":1}}`,
    );
    await fetch(`http://${host}:${port}/sync_server`, {
      method: "POST",
      headers: { ...json, appid: "app", compress: "none" },
      body: `[${records}]`,
      signal,
    }).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
  }
};

const texts = ["t1", "t2", "t3", "t4", "t5", "t6"];
const padding = "x".repeat(2_000);

/** Reports enough users with long texts that a file of them fills the buffers of a connection. */
async function reportUsers(port: number, signal: AbortSignal): Promise<void> {
  const properties = texts.map((name) => `"${name}":"${padding}"`).join();
  const recordOf = (type: string, at: number) =>
    `{"#type":"${type}","#account_id":"u${at}","#time":"${new Date().toISOString().slice(0, 19).replace("T", " ")}"`;
  for (let from = 0; from < 1_500; from += 300) {
    const records = many(300, (at) => {
      const event = `${recordOf("track", from + at)},"#event_name":"play","properties":{}}`;
      return `${recordOf("user_set", from + at)},"properties":{${properties}}},${event}`;
    });
    const headers = { ...json, appid: "app", compress: "none" };
    await fetch(`http://${host}:${port}/sync_server`, {
      method: "POST",
      headers,
      body: `[${records}]`,
      signal,
    });
  }
  await sleep(3_000);
}

const unread: Attack = async (port, signal) => {
  await reportUsers(port, signal);
  const columns = texts.map((name) => `"${name}"`).join();
  const total = '"eventView":{"recentDay":"0-2","timeParticleSize":"total"}';
  const body = `{"projectId":1,${total},${metrics},"eventIndex":0,"sliceGroupVal":["Overall"],"selectedColumns":[${columns}]}`;
  const path = `/open/streaming-download/event-user-list?token=${token}`;
  for (let at = 0; at < 8; at++) {
    const call = request(
      { host, port, path, method: "POST", headers: json, agent: false, signal },
      (response) => {
        response.pause();
        response.on("error", () => undefined);
      },
    );
    call.on("error", () => undefined);
    call.end(body);
  }
  await untilAborted(signal);
};

const forged = Buffer.from(`[${many(500, (at) => `{"push_id":"p${at}","#ops_receipt_properties":{}}`)}]`);

/**
 * Computes without a call to the server: what it takes from the caller shows the share of the machine in each attack.
 */
const computing: Attack = async (_port, signal) => {
  while (!signal.aborted) {
    const untilMs = performance.now() + 10;
    while (performance.now() < untilMs);
    await sleep(0);
  }
};

/** The attack that leaves the server alone. */
export const control = "another process computes";

export const attacks: Readonly<Record<string, Attack>> = {
  [control]: computing,
  "a form of names alone, compressed": repeatedly("/sync_server", { ...form, ...brotli }, () =>
    compressed("&a".repeat(mebi)),
  ),
  "a query of empty lists without a token": repeatedly("/open/event-analyze", { ...json, ...brotli }, () =>
    compressed(`{"a":1234567890123456,"b":[${many(5 * mebi, () => "[]")}]}`),
  ),
  "a query of unknown members without a token": repeatedly(
    "/open/event-analyze",
    { ...json, ...brotli },
    () => compressed(`{${many(1_400_000, (at) => `"m${at}":1`)}}`),
  ),
  "push ids that are numbers": repeatedly("/v1/audiences:estimate", { ...json, ...brotli }, () =>
    compressed(`{"audience":{"pushIds":{"pushIds":[${many(7 * mebi, () => "1")}]}}}`),
  ),
  "properties in mixed case": repeatedly("/data_debug", form, () =>
    Buffer.from(
      `appid=app&data=${encodeURIComponent(`[${many(100, (record) => `{"#type":"track","#event_name":"e","#account_id":"a","#time":"2026-01-01 00:00:00","properties":{${many(999, (at) => `"${mixedCase(record)}${at}":1`)}}}`)}]`)}`,
    ),
  ),
  "200 streams that never end": openStreams(1, 200, "/webhook/nope", 15 * mebi),
  "20,000 watches of health": openStreams(20, 1_000, "/grpc.health.v1.Health/Watch", 0),
  "10,000 idle connections": sockets(10_000, "", ""),
  "500 bodies sent byte by byte": sockets(
    500,
    `POST /webhook/demo HTTP/1.1\r\nhost: x\r\nx-svc-ops-signature: ${"a".repeat(40)}\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n`,
    "[",
  ),
  "500 headers sent byte by byte": sockets(500, "POST /webhook/demo HTTP/1.1\r\nhost: x\r\n", "x"),
  "names without end": newNames,
  "downloads that are not read": unread,
  "a query of 450,000 literals": repeatedly(
    `/open/event-analyze?token=${token}`,
    json,
    () =>
      Buffer.from(`{"projectId":1,"useCache":false,${view},"filts":[${many(150, condition)}]},${metrics}}`),
    2,
  ),
  "forged webhooks": repeatedly(
    "/webhook/demo",
    { ...json, "x-svc-ops-signature": createHmac("sha1", `not ${secret}`).update(forged).digest("hex") },
    () => forged,
  ),
};
