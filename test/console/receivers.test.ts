import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  commandOf,
  headersIn,
  noSecrets,
  queryOf,
  type Receiver,
  receiverOf,
  requestOf,
} from "../../console/src/pages/receivers/form.ts";
import { emptyRun, faultsOf, rowsOf, withStep } from "../../console/src/pages/receivers/run.ts";
import {
  CheckReceiverResponseSchema,
  ProbeOutcome,
  ProbeSeverity,
} from "../../gen/engage/channel/v1/receiver_checker_pb.ts";

const plain = receiverOf(new Map([["url", "https://a.example/hook"]]));
const full: Receiver = {
  url: "https://a.example/hook?a=1&b='2'",
  isSigned: true,
  signatureHeader: "X-Sign",
  badPushId: "gone",
  projectId: "7",
  timeout: "5",
  rate: "20",
  skip: "throughput, slow-body",
};
const secrets = { secret: "s-1", secondSecret: "s-2", headers: "X-Api-Key: k-1\n\nX-B:two words" };

describe("the form", () => {
  test("comes back from its URL, without secrets", () => {
    expect(receiverOf(new Map(Object.entries(queryOf(full))))).toEqual(full);
    expect(receiverOf(new Map(Object.entries(queryOf({ ...full, isSigned: false }))))).toEqual({
      ...full,
      isSigned: false,
    });
    expect(queryOf(plain)).toMatchObject({ url: "https://a.example/hook", signed: "", skip: "" });
  });

  test("becomes a request", () => {
    expect(requestOf(full, secrets)).toEqual({
      url: full.url,
      authentication: { secret: "s-1", headerName: "X-Sign" },
      secondSecret: "s-2",
      customHeaders: [
        { name: "X-Api-Key", value: "k-1" },
        { name: "X-B", value: "two words" },
      ],
      knownBadPushId: "gone",
      projectId: 7n,
      timeoutSeconds: 5,
      requestsPerSecond: 20,
      skippedProbes: ["throughput", "slow-body"],
    });
    const unsigned = requestOf({ ...plain, isSigned: false }, secrets);
    expect([unsigned.authentication, unsigned.secondSecret]).toEqual([undefined, undefined]);
  });

  test.each(["-1", "1.5", "ten", "99999999999"])("keeps the wrong number %s wrong", (timeout) => {
    expect(requestOf({ ...plain, timeout }, noSecrets).timeoutSeconds).toBe(2_147_483_647);
  });

  test("keeps headers without a value, which the server refuses", () => {
    expect(headersIn("  a \n:b\nc: d:e")).toEqual([
      { name: "a", value: "" },
      { name: "", value: "b" },
      { name: "c", value: "d:e" },
    ]);
  });
});

describe("the command", () => {
  test("says the same without secrets", () => {
    const command = commandOf(full, secrets);
    expect(command).toBe(
      `npx engage-server check 'https://a.example/hook?a=1&b='\\''2'\\''' --secret-file secret.txt --second-secret-file second-secret.txt --header-name X-Sign --header 'X-Api-Key: ...' --header 'X-B: ...' --known-bad-push-id gone --project-id 7 --timeout 5000 --rate 20 --skip throughput slow-body`,
    );
    expect(command).not.toMatch(/s-1|s-2|k-1|two words/);
  });

  test("is short for a channel without authentication", () => {
    expect(commandOf({ ...plain, isSigned: false }, noSecrets)).toBe(
      "npx engage-server check https://a.example/hook --channel-has-auth off --timeout 10000",
    );
  });
});

describe("a run", () => {
  const severities = { a: "MUST", b: "SHOULD", c: "MUST", d: "INFO", e: "MUST", f: "MUST" } as const;
  const probes = Object.entries(severities).map(([probeId, severity]) => ({
    probeId,
    title: probeId,
    severity: ProbeSeverity[severity],
  }));
  const failure = { request: "", response: "", rule: "", change: "" };
  const resultOf = (at: number, outcome: ProbeOutcome) =>
    create(CheckReceiverResponseSchema, {
      step: {
        case: "result",
        value: { probe: probes[at]!, outcome, ...(outcome === ProbeOutcome.FAILED && { failure }) },
      },
    });
  const run = [
    create(CheckReceiverResponseSchema, { step: { case: "plan", value: { probes } } }),
    resultOf(0, ProbeOutcome.PASSED),
    resultOf(1, ProbeOutcome.FAILED),
    resultOf(2, ProbeOutcome.FAILED),
    resultOf(3, ProbeOutcome.FAILED),
  ].reduce(withStep, emptyRun);

  test("shows each probe in its state", () => {
    const statesOf = (isRunning: boolean) => rowsOf(run, isRunning).map(({ state }) => state);
    const results = ["passed", "recommended", "broken", "noted"];
    expect(statesOf(true)).toEqual([...results, "running", "waiting"]);
    expect(statesOf(false)).toEqual([...results, "cancelled", "cancelled"]);
  });

  test("lists the worst faults first", () => {
    expect(faultsOf(run).map(({ probe }) => probe?.probeId)).toEqual(["c", "b", "d"]);
  });

  test("ignores steps that it does not know", () => {
    expect(withStep(run, create(CheckReceiverResponseSchema))).toBe(run);
  });
});
