import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { folderWith } from "../../cmd/config/load.ts";
import { startEngage } from "../../cmd/run-engage.ts";
import { secret, sign } from "../../cmd/webhook-server.ts";
import { batchOf } from "../../services/webhook/bodies.ts";
import { sendHttp1, sendTcp, untilClosed } from "../raw.ts";
import { grownBy, urlOf } from "../server-process.ts";
import { booked, openWithTarget } from "./http-target.ts";

const maxBytes = 100_000;
const channel = { maxBytes };
const request = "POST /webhook/demo";

/** Returns a batch of one message with exactly this many bytes. */
function bodyOf(bytes: number): Buffer {
  const [head, tail] = ['[{"push_id":"user-1","#ops_receipt_properties":{"x":"', '"}}]'];
  return Buffer.from(`${head}${"x".repeat(bytes - head.length - tail.length)}${tail}`);
}

function headersOf(body: Buffer): Record<string, string> {
  return { "content-type": "application/json", "x-svc-ops-signature": sign(body) };
}

function chunked(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n0\r\n\r\n")]);
}

describe("sizes", () => {
  it.each([
    ["with a length", maxBytes, 200],
    ["with a length", maxBytes + 1, 413],
  ])("%s, %i bytes: %i", async (_name, bytes, status) => {
    const { server } = await openWithTarget({}, { channel });
    const body = bodyOf(bytes);
    const headers = { ...headersOf(body), "content-length": `${bytes}` };
    expect((await sendHttp1(server.address.port, request, headers, body)).status).toBe(status);
    expect(await booked(server, "accepted")).toBe(status === 200 ? 1 : 0);
  });

  it.each([
    ["in chunks without a length", maxBytes, 200],
    ["in chunks without a length", maxBytes + 1, 413],
  ])("%s, %i bytes: %i", async (_name, bytes, status) => {
    const { server } = await openWithTarget({}, { channel });
    const body = bodyOf(bytes);
    const headers = { ...headersOf(body), "transfer-encoding": "chunked" };
    expect((await sendHttp1(server.address.port, request, headers, chunked(body))).status).toBe(status);
    expect(await booked(server, "accepted")).toBe(status === 200 ? 1 : 0);
  });

  it("chunks without end are cut off at the limit", async () => {
    const { server } = await openWithTarget(
      {},
      { channel, settings: { limits: { maxMessageBytes: maxBytes } } },
    );
    const socket = connect(server.address.port, "127.0.0.1").on("error", () => undefined);
    const answer = untilClosed(socket);
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    socket.write(
      `${request} HTTP/1.1\r\nhost: a\r\nx-svc-ops-signature: ${"0".repeat(40)}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    const timer = setInterval(() => socket.write(chunk), 1);
    const text = (await answer).toString();
    clearInterval(timer);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("a bomb of gzip is not inflated beyond the limit", async () => {
    // 256 MiB, in members of 1 MiB. As sent it is within the limit.
    const body = Buffer.concat(Array(256).fill(gzipSync(Buffer.alloc(1_048_576, " "))));
    const demo = { secrets: [{ value: secret }], targets: ["pulled"], maxBytes: body.length };
    const webhook = {
      channels: { demo },
      targets: { pulled: { kind: "pull" } },
      inbox: { minFreeBytes: 0 },
    };
    const settings = JSON.stringify({ listen: "127.0.0.1:0", data: "data", webhook });
    const child = startEngage(["serve"], { cwd: folderWith({ "engage.yaml": settings }) });
    const port = Number(new URL(await urlOf(child)).port);
    const headers = { ...headersOf(body), "content-encoding": "gzip", "content-length": `${body.length}` };
    const grown = await grownBy(child.pid!, async () => {
      expect((await sendHttp1(port, request, headers, body)).status).toBe(413);
    });
    expect(grown).toBeLessThan(50);
  });
});

describe("lengths that lie", () => {
  const body = bodyOf(200);
  const head = (length: number): string =>
    `${request} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\nx-svc-ops-signature: ${sign(body)}\r\ncontent-length: ${length}\r\n\r\n`;

  it("too short: what the signature covers has not come, and the rest is no request", async () => {
    const { server } = await openWithTarget();
    const answer = await sendTcp(server.address.port, `${head(199)}${body}`);
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 40[01] /);
    expect(await booked(server, "accepted")).toBe(0);
  });

  it("too long: nothing is accepted when the body never comes", async () => {
    const { server } = await openWithTarget();
    const socket = connect(server.address.port, "127.0.0.1");
    socket.end(`${head(201)}${body}`);
    await untilClosed(socket);
    expect(await booked(server, "accepted")).toBe(0);
  });

  it.each([
    ["two lengths", "content-length: 10\r\n"],
    ["a length and chunks", "transfer-encoding: chunked\r\n"],
  ])("%s are refused", async (_name, field) => {
    const { server } = await openWithTarget();
    const lying = head(200).replace("\r\n\r\n", `\r\n${field}\r\n`);
    expect((await sendTcp(server.address.port, `${lying}${body}`)).toString()).toMatch(/^HTTP\/1\.1 400 /);
    expect(await booked(server, "accepted")).toBe(0);
  });
});

it("an old secret is good to its last moment and no longer, the new one all the time", async () => {
  // Far enough ahead for a server that starts slowly.
  const expiresMs = Date.now() + 6_000;
  const secrets = [{ value: "old", expires: new Date(expiresMs).toISOString() }, { value: secret }];
  const { server } = await openWithTarget({}, { channel: { secrets } });
  let sent = 0;
  const statusBy = async (key: string): Promise<number> => {
    const body = batchOf(["user-1"], `r-${sent++}`);
    return (await server.send(body, { headers: { "x-svc-ops-signature": sign(body, key) } })).status;
  };
  const seen: { readonly status: number; readonly beganMs: number; readonly endedMs: number }[] = [];
  await vi.waitUntil(
    async () => {
      const beganMs = Date.now();
      const status = await statusBy("old");
      seen.push({ status, beganMs, endedMs: Date.now() });
      expect(await statusBy(secret)).toBe(200);
      return status === 401;
    },
    { timeout: 20_000, interval: 10 },
  );
  expect(seen[0]).toMatchObject({ status: 200 });
  const early = seen.filter(({ endedMs }) => endedMs < expiresMs);
  expect(early.filter(({ status }) => status !== 200)).toEqual([]);
  const late = seen.filter(({ beganMs }) => beganMs >= expiresMs);
  expect(late.filter(({ status }) => status !== 401)).toEqual([]);
});
