import { Readable } from "node:stream";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, it, onTestFinished } from "vitest";
import { createOutbound, type ResolveAll } from "../../../../base/net/outbound.ts";
import {
  type CheckReceiverResponse,
  ProbeOutcome,
  type ProbeResult,
  ReceiverChecker,
} from "../../../../gen/engage/channel/v1/receiver_checker_pb.ts";
import { probeIds } from "../../../../services/channel/check/check.ts";
import { type CheckerOptions, createReceiverChecker } from "../../../../services/channel/check/checker.ts";
import { createExchange } from "../../../../services/channel/exchange/exchange.ts";
import { createReceiver, json, type Receiver, secret } from "./receiver.ts";
import { openReceiverServer } from "./receiver-server.ts";

const loopback = createOutbound({ allow: ["127.0.0.0/8"] });

/** The probes that take seconds. */
const slow = ["slow-body", "throughput"];

/** The service, with a client for each caller. */
function openChecker(changes: Partial<CheckerOptions> = {}, outbound = loopback) {
  const service = createReceiverChecker({
    openExchange: (url, maxConnections) =>
      createExchange({ url, outbound, maxConnections, maxResponseBytes: 262_144 }),
    refusedAddress: async () => undefined,
    callerOf: () => undefined,
    stopping: new AbortController().signal,
    after: () => new AbortController().signal,
    monotonicMs: () => performance.now(),
    randomId: () => crypto.randomUUID(),
    ...changes,
  });
  const transport = createRouterTransport(({ service: add }) => add(ReceiverChecker, service));
  return createClient(ReceiverChecker, transport);
}

const signed = { authentication: { secret }, skippedProbes: slow };

function collect(responses: AsyncIterable<CheckReceiverResponse>): Promise<CheckReceiverResponse[]> {
  return Readable.from(responses).toArray();
}

function resultsOf(responses: readonly CheckReceiverResponse[]): ProbeResult[] {
  return responses.flatMap(({ step }) => (step.case === "result" ? [step.value] : []));
}

async function faultOf(responses: AsyncIterable<CheckReceiverResponse>): Promise<ConnectError> {
  return ConnectError.from(await collect(responses).catch((error: unknown) => error));
}

/** A receiver that never responds; `reached` resolves with its first request, `left` when that is cancelled. */
async function openSilentReceiver() {
  const reached = Promise.withResolvers<void>();
  const { promise: never, resolve } = Promise.withResolvers<{ status: number; text: string }>();
  onTestFinished(() => resolve(json(500, {})));
  const receiver: Receiver = () => {
    reached.resolve();
    return never;
  };
  return { url: await openReceiverServer(receiver), reached: reached.promise };
}

it("streams the plan, each result in its order, and the sums", async () => {
  const url = await openReceiverServer(createReceiver());
  const responses = await collect(openChecker().checkReceiver({ url, ...signed }));
  const [first] = responses;
  expect(first!.step.value).toMatchObject({
    probes: probeIds.map((probeId) => ({ probeId })),
  });
  const results = resultsOf(responses);
  expect(results.map(({ probe }) => probe?.probeId)).toEqual(probeIds);
  const skipped = results.filter(({ outcome }) => outcome === ProbeOutcome.SKIPPED);
  expect(skipped.map(({ probe, detail }) => [probe?.probeId, detail])).toEqual([
    ["signature-second-secret", "no second secret to sign with"],
    ["slow-body", "excluded, as requested"],
    ["throughput", "excluded, as requested"],
  ]);
  expect(responses.at(-1)?.step).toMatchObject({
    case: "summary",
    value: {
      correct: true,
      passed: probeIds.length - 3,
      failed: 0,
      recommendations: 0,
      notes: 0,
      skipped: 3,
    },
  });
});

it("never returns what the receiver repeats of the secrets", async () => {
  // The response is shown up to the midst of the second key.
  const padding = "x".repeat(330 - secret.length);
  const url = await openReceiverServer(async ({ headers: { "x-api-key": key } }) =>
    json(500, { return_code: 1, return_message: `${secret} ${key} ${padding} ${key}` }),
  );
  const customHeaders = [{ name: "X-Api-Key", value: "the key of the receiver" }];
  const responses = await collect(openChecker().checkReceiver({ url, ...signed, customHeaders }));
  const [accept] = resultsOf(responses);
  expect(accept?.failure?.response).toContain(`*** *** ${padding} ***`);
  expect(accept?.failure?.request).toContain("X-Api-Key: (as given)");
  const all = JSON.stringify(responses, (_key, value) => (typeof value === "bigint" ? String(value) : value));
  expect(all).not.toMatch(new RegExp(`${secret}|the key`));
});

it("refuses an address before the plan", async () => {
  const client = openChecker({ refusedAddress: async (url) => `${url} is inside` });
  const fault = await faultOf(client.checkReceiver({ url: "http://a.example/" }));
  expect([fault.code, fault.rawMessage]).toEqual([
    Code.InvalidArgument,
    "url is refused: http://a.example/ is inside",
  ]);
});

it("checks the addresses of a name at each connection, so that a changed one is not called", async () => {
  let calls = 0;
  const { port } = new URL(
    await openReceiverServer(async () => {
      calls++;
      return json(200, {});
    }),
  );
  const resolveAll: ResolveAll = (_host, _options, callback) =>
    callback(null, [{ address: "127.0.0.1", family: 4 }]);
  const outbound = createOutbound({ allow: [], setting: "channel.outbound.allow", resolveAll });
  const url = `http://changed.example:${port}/`;
  const results = resultsOf(await collect(openChecker({}, outbound).checkReceiver({ url, ...signed })));
  expect(results[0]?.detail).toMatch(
    /^the call failed: changed\.example is at 127\.0\.0\.1, which is not public/,
  );
  expect(calls).toBe(0);
});

it("follows no redirect", async () => {
  let calls = 0;
  const inside = await openReceiverServer(async () => {
    calls++;
    return json(200, {});
  });
  const url = await openReceiverServer(async () => ({
    status: 307,
    text: "",
    headers: { location: inside },
  }));
  const results = resultsOf(await collect(openChecker().checkReceiver({ url, ...signed })));
  expect(results[0]?.failure?.response).toMatch(/^HTTP 307 .*\nlocation: http/s);
  expect(calls).toBe(0);
});

it("runs one check of a caller, and three of all", async () => {
  const { url, reached } = await openSilentReceiver();
  const callers = ["a", "a", "b", "c", "d"];
  const client = openChecker({ callerOf: () => callers.shift() });
  const end = new AbortController();
  const begin = () => client.checkReceiver({ url }, { signal: end.signal })[Symbol.asyncIterator]();
  const first = begin();
  await first.next();
  await reached;
  expect(await faultOf(client.checkReceiver({ url }))).toMatchObject({
    code: Code.ResourceExhausted,
    rawMessage: "a check of this caller is under way, wait for its end or cancel it",
  });
  await begin().next();
  await begin().next();
  expect(await faultOf(client.checkReceiver({ url }))).toMatchObject({
    code: Code.ResourceExhausted,
    rawMessage: "3 checks are under way, try again later",
  });
  end.abort();
  await expect(first.next()).rejects.toMatchObject({ code: Code.Canceled });
});

it("ends with its caller, who may begin another", async () => {
  const { url, reached } = await openSilentReceiver();
  const client = openChecker();
  const end = new AbortController();
  const responses = client.checkReceiver({ url }, { signal: end.signal })[Symbol.asyncIterator]();
  await responses.next();
  await reached;
  end.abort();
  await expect(responses.next()).rejects.toMatchObject({ code: Code.Canceled });
  const right = await openReceiverServer(createReceiver());
  const again = async () =>
    (
      await client
        .checkReceiver({ url: right, ...signed })
        [Symbol.asyncIterator]()
        .next()
    ).value;
  await expect.poll(() => again().catch(() => undefined)).toMatchObject({ step: { case: "plan" } });
});

it.each([
  ["a server that stops", "stopping", Code.Unavailable, "the server is stopping, call again"],
  [
    "the limit of time",
    "time",
    Code.DeadlineExceeded,
    "the run takes more than 120 s, skip probes or set a shorter timeout",
  ],
] as const)("ends with %s", async (_name, cause, code, message) => {
  const { url, reached } = await openSilentReceiver();
  const ends = { stopping: new AbortController(), time: new AbortController() };
  const client = openChecker({ stopping: ends.stopping.signal, after: () => ends.time.signal });
  const fault = faultOf(client.checkReceiver({ url }));
  await reached;
  ends[cause].abort();
  expect(await fault).toMatchObject({ code, rawMessage: message });
});

it.each<[string, object, string]>([
  ["no address", { url: "" }, "url is required"],
  ["a file", { url: "file:///etc/passwd" }, 'url has the scheme "file:", valid are http: and https:'],
  [
    "a password in the address",
    { url: "http://ann:pw@a.example/" },
    "url has a user name or password, use an Authorization header instead",
  ],
  ["an empty secret", { authentication: {} }, "authentication.secret is required"],
  [
    "a secret that is not used",
    { authentication: { secret: "abc", off: true } },
    "authentication.secret is set although authentication.off is set, valid is one of them",
  ],
  [
    "a second secret alone",
    { secondSecret: "abc" },
    "second_secret is set without authentication, which is not valid",
  ],
  [
    "the same secret twice",
    { authentication: { secret: "abc" }, secondSecret: "abc" },
    "second_secret is the same as authentication.secret",
  ],
  [
    "a header of the connection",
    { customHeaders: [{ name: "Host", value: "inside" }] },
    'custom_headers[0].name is "Host", which is set by the service',
  ],
  [
    "a header that ends",
    { customHeaders: [{ name: "X-A", value: "a\r\nHost: b" }] },
    "custom_headers[0].value is not valid, valid are printable ASCII characters without spaces at the ends",
  ],
  ["a long wait", { timeoutSeconds: 31 }, "timeout_seconds is 31, valid are 1 to 30"],
  ["a heavy load", { requestsPerSecond: 201 }, "requests_per_second is 201, valid are 1 to 200"],
  ["a negative project", { projectId: -1n }, "project_id is -1, valid are 1 to 9007199254740991"],
  ["an unknown probe", { skippedProbes: ["a"] }, 'skipped_probes[0] is "a", valid are "accept", '],
])("refuses %s by name", async (_name, request, message) => {
  const fault = await faultOf(openChecker().checkReceiver({ url: "http://a.example/", ...request }));
  expect(fault.code).toBe(Code.InvalidArgument);
  expect(fault.rawMessage.startsWith(message)).toBe(true);
});
