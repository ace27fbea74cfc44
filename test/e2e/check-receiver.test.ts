import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { sha256Hex } from "../../base/text/digest.ts";
import { loadConfig } from "../../cmd/config/config.ts";
import { startServer } from "../../cmd/serve/server.ts";
import {
  type CheckReceiverResponse,
  ProbeOutcome,
  ReceiverChecker,
} from "../../gen/engage/channel/v1/receiver_checker_pb.ts";
import { probeIds } from "../../services/channel/check/check.ts";
import { folderWith } from "../cmd/config/load.ts";
import { type OnEnd, openForAll } from "../open-for-all.ts";
import { createReceiver, secret } from "../services/channel/check/receiver.ts";
import { openReceiverServer } from "../services/channel/check/receiver-server.ts";
import { receiver as wrong } from "../services/channel/check/wrong-receivers/counts-from-zero.ts";

const settings = { listen: "127.0.0.1:0", log: { level: "debug" }, projects: [{ id: 1, appids: ["a"] }] };
const keys = {
  auth: {
    mode: "keys",
    keys: [
      { name: "write", sha256: sha256Hex("key-write"), methods: ["*"] },
      { name: "read", sha256: sha256Hex("key-read"), methods: ["*"], access: "read" },
    ],
  },
};

async function openServer(onEnd: OnEnd, more: object = {}) {
  const cwd = folderWith({ "engage.yaml": JSON.stringify({ ...settings, ...more }) }, onEnd);
  const log = join(cwd, "log");
  const logFd = openSync(log, "w");
  onEnd(() => closeSync(logFd));
  const running = await startServer(loadConfig({ env: {}, cwd }).config, { logFd });
  onEnd(() => running.stop());
  return { ...running, log: () => readFileSync(log, "utf8") };
}

const server = openForAll((onEnd) =>
  openServer(onEnd, { channel: { outbound: { allow: ["127.0.0.0/8"] } } }),
);
const url = (): string => server().address.url;

const kinds: readonly (readonly [string, (baseUrl: string) => Transport])[] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
];

const request = { authentication: { secret }, skippedProbes: ["slow-body", "throughput"] };

function collect(responses: AsyncIterable<CheckReceiverResponse>): Promise<CheckReceiverResponse[]> {
  return Readable.from(responses).toArray();
}

function post(target: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${target}/v1/receivers:check`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

describe.each(kinds)("over %s", (_name, transportOf) => {
  it("a fault is shown with the call, the rule and what to change", async () => {
    const client = createClient(ReceiverChecker, transportOf(url()));
    const steps = await collect(client.checkReceiver({ url: await openReceiverServer(wrong), ...request }));
    const failed = steps.flatMap(({ step }) =>
      step.case === "result" && step.value.outcome === ProbeOutcome.FAILED ? [step.value] : [],
    );
    expect(failed).toMatchObject([
      {
        probe: { probeId: "partial-index" },
        failure: {
          request: expect.stringMatching(/^5 messages, .*\ncontent-type: application\/json\n/),
          response: expect.stringMatching(/^HTTP 200 after \d+ ms\n/),
        },
      },
    ]);
    expect(steps.at(-1)?.step).toMatchObject({ case: "summary", value: { correct: false, failed: 1 } });
  });
});

describe("over REST", () => {
  it("the steps are lines of JSON, and the log has no secret", async () => {
    const response = await post(url(), { url: await openReceiverServer(createReceiver()), ...request });
    expect(response.status).toBe(200);
    const lines = (await response.text()).trim().split("\n");
    const steps = lines.map((line) => Object.keys(JSON.parse(line))[0]);
    expect(steps).toEqual(["plan", ...probeIds.map(() => "result"), "summary"]);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ summary: { correct: true, failed: 0, skipped: 3 } });
    expect(lines.join()).not.toContain(secret);
    expect(server().log()).not.toContain(secret);
  });

  it("a fault of the request is a response like any other, without the secret", async () => {
    const authentication = { secret: `${secret}\n` };
    const response = await post(url(), { url: "http://127.0.0.1/", authentication });
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text).toContain("authentication.secret has spaces or line ends at its ends");
    expect(text).not.toContain(secret);
  });
});

describe("addresses that channels may not call", () => {
  const strict = openForAll((onEnd) => openServer(onEnd));

  it.each([
    "http://127.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0.0.0.0:{port}/",
    "http://localhost:{port}/",
    "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fe80::1]/",
    "http://[64:ff9b::7f00:1]/",
  ])("%s is refused and not called", async (address) => {
    let calls = 0;
    const inside = await openReceiverServer(async () => {
      calls++;
      return { status: 200, text: "" };
    });
    const transport = createGrpcTransport({ baseUrl: strict().address.url });
    const given = { url: address.replace("{port}", new URL(inside).port) };
    const fault = ConnectError.from(
      await collect(createClient(ReceiverChecker, transport).checkReceiver(given)).catch(
        (error: unknown) => error,
      ),
    );
    expect(fault.code).toBe(Code.InvalidArgument);
    expect(fault.rawMessage).toMatch(
      /^url is refused: .* is not public, add .* to channel\.outbound\.allow$/,
    );
    expect(calls).toBe(0);
  });
});

it("a key that may only read may not check", async () => {
  const { address } = await openServer(onTestFinished, keys);
  const as = (key: string) =>
    post(address.url, { url: "http://127.0.0.1/" }, { authorization: `Bearer ${key}` });
  expect((await as("key-read")).status).toBe(403);
  expect(await (await as("key-write")).text()).toContain("url is refused");
});

it("a run ends when the server stops", async () => {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const silent = await openReceiverServer(() => {
    resolve();
    return new Promise(() => undefined);
  });
  const running = await openServer(onTestFinished, { channel: { outbound: { allow: ["127.0.0.0/8"] } } });
  const client = createClient(ReceiverChecker, createGrpcTransport({ baseUrl: running.address.url }));
  const ended = collect(client.checkReceiver({ url: silent }));
  ended.catch(() => undefined);
  await reached;
  await running.stop();
  await expect(ended).rejects.toMatchObject({ code: Code.Unavailable });
});
