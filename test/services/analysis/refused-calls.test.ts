import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import type { AnalysisEngine } from "../../../services/analysis/engine.ts";
import { AnalysisRefusal } from "../../../services/analysis/refusal/refusal.ts";
import { refuseQuery } from "../../../services/analysis/rest/query-body.ts";
import { EventsUnavailableError, TooManyQueriesError } from "../../../store/events/events.ts";
import { errorOf, failing, typed } from "./calls.ts";
import { minimal, openProxy } from "./proxy-server.ts";

const root = "token-root";

interface Refused {
  readonly what: string;
  readonly engine?: Partial<AnalysisEngine>;
  readonly token: string;
  readonly projectId?: number;
  readonly returnCode: number;
  readonly message: string | RegExp;
  readonly code: Code;
  readonly reason: string;
  readonly outcome: string;
}

const refusals: Refused[] = [
  {
    what: "no token",
    token: "",
    returnCode: -1008,
    message: "Parameter (token) is empty",
    code: Code.Unauthenticated,
    reason: "TOKEN_MISSING",
    outcome: "none no_token",
  },
  {
    what: "an unknown token",
    token: "nobody's",
    returnCode: -1002,
    message: "the token is unknown",
    code: Code.PermissionDenied,
    reason: "TOKEN_REFUSED",
    outcome: "none token",
  },
  {
    what: "another project",
    token: "token-one",
    projectId: 2,
    returnCode: -1002,
    message: "the token has no access to project 2",
    code: Code.PermissionDenied,
    reason: "TOKEN_REFUSED",
    outcome: "none token",
  },
  {
    what: "an unknown project",
    token: "token-one",
    projectId: 3,
    returnCode: -1002,
    message: "the token has no access to project 3",
    code: Code.PermissionDenied,
    reason: "TOKEN_REFUSED",
    outcome: "none token",
  },
  {
    what: "an unknown project, by a root token",
    token: root,
    projectId: 3,
    returnCode: -1001,
    message: "projectId: there is no project 3, valid are 1, 2",
    code: Code.InvalidArgument,
    reason: "PARAMETER_INVALID",
    outcome: "none parameter",
  },
  {
    what: "a parameter that the engine refuses",
    token: "token-one",
    returnCode: -1001,
    engine: failing(refuseQuery([{ field: "events[0].quota", description: "is required" }])),
    message: "events[0].quota: is required",
    code: Code.InvalidArgument,
    reason: "PARAMETER_INVALID",
    outcome: "embedded parameter",
  },
  {
    what: "too many queries",
    token: "token-one",
    engine: failing(new TooManyQueriesError("full")),
    returnCode: -1005,
    message: "too many queries at once",
    code: Code.ResourceExhausted,
    reason: "TOO_MANY_QUERIES",
    outcome: "embedded busy",
  },
  {
    what: "a store that does not work",
    token: "token-one",
    engine: failing(new EventsUnavailableError("/data/events: disk full")),
    returnCode: -1006,
    message: "the events are temporarily unavailable",
    code: Code.Unavailable,
    reason: "ENGINE_UNAVAILABLE",
    outcome: "embedded unavailable",
  },
  {
    what: "a platform that is unavailable",
    token: root,
    projectId: 2,
    engine: failing(new AnalysisRefusal(-1006, "the platform can't be reached")),
    returnCode: -1006,
    message: "the platform can't be reached",
    code: Code.Unavailable,
    reason: "ENGINE_UNAVAILABLE",
    outcome: "platform unavailable",
  },
  {
    what: "a code of the platform's own",
    token: root,
    projectId: 2,
    engine: failing(new AnalysisRefusal(-2042, "no such thing")),
    returnCode: -2042,
    message: "no such thing",
    code: Code.FailedPrecondition,
    reason: "PLATFORM_REFUSED",
    outcome: "platform other",
  },
];

describe("what is refused, by REST and by gRPC", () => {
  test.each(refusals)("$what", async ({ engine, token, projectId = 1, ...expected }) => {
    const { client, rest, finished, faults } = await openProxy({ ...(engine && { engine }) });
    const answer = await rest("event-analyze", { ...minimal, projectId }, { query: `?token=${token}` });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      { return_code: expected.returnCode, return_message: expected.message },
    ]);
    const query = { ...typed, projectId: BigInt(projectId) };
    const error = await errorOf(client.analyzeEvents({ token, query }));
    expect([error.code, error.rawMessage]).toEqual([expected.code, expected.message]);
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
      {
        domain: "engage.analysis",
        reason: expected.reason,
        metadata: { return_code: String(expected.returnCode) },
      },
    ]);
    expect(finished).toEqual(Array(2).fill(`analyze ${expected.outcome}`));
    expect(faults).toEqual([]);
  });

  test("a fault is reported to the log only", async () => {
    const { rest, client, faults, finished } = await openProxy({
      engine: failing(new Error("at /secret/path")),
    });
    const { text } = await rest("event-analyze", minimal);
    expect(JSON.parse(text)).toEqual({
      return_code: -1000,
      return_message: expect.stringMatching(/^internal error, request id \S+$/),
    });
    const error = await errorOf(client.analyzeEvents({ token: "token-one", query: typed }));
    expect(error.code).toBe(Code.Internal);
    expect(error.rawMessage).not.toContain("secret");
    expect(faults.map(String)).toEqual(Array(2).fill("Error: at /secret/path"));
    expect(finished).toEqual(Array(2).fill("analyze embedded internal"));
  });

  test("fields are named in the details, as many as fit", async () => {
    const violations = Array.from({ length: 40 }, (_, i) => ({
      field: `events[${i}]`,
      description: "x".repeat(80),
    }));
    const { client } = await openProxy({ engine: failing(refuseQuery(violations)) });
    const error = await errorOf(client.analyzeEvents({ token: "token-one", query: typed }));
    const [details] = error.findDetails(BadRequestSchema);
    expect(details?.fieldViolations.length).toBeGreaterThan(5);
    expect(details?.fieldViolations[0]).toMatchObject({ field: "events[0]", reason: "PARAMETER_INVALID" });
  });

  test.each([
    ["a query that is missing", {}, "query: is required"],
    ["a project that is missing", { query: {} }, "projectId: is required"],
    [
      "no time",
      { query: { ...typed, timeoutSeconds: 0 } },
      "timeoutSeconds: 0 is not valid, valid is 1 to 3600",
    ],
    [
      "too much time",
      { query: { ...typed, timeoutSeconds: 3_601 } },
      "timeoutSeconds: 3601 is not valid, valid is 1 to 3600",
    ],
  ])("%s", async (_what, request, message) => {
    const { client } = await openProxy();
    const error = await errorOf(client.analyzeEvents({ token: "token-one", ...request }));
    expect([error.code, error.rawMessage]).toEqual([Code.InvalidArgument, message]);
  });

  test.each([
    ["no token", "", -1008],
    ["a wrong token", "?token=x", -1002],
    ["a good token", "?token=token-one", -1001],
  ])(
    "with %s a body that is not JSON is reported only to callers with a valid token",
    async (_what, query, code) => {
      const { rest } = await openProxy();
      const { text } = await rest("event-analyze", "{", { query });
      expect(JSON.parse(text)).toMatchObject({ return_code: code });
    },
  );

  test("the header of a file has one of two kinds", async () => {
    const { rest } = await openProxy();
    const { text } = await rest("streaming-download/event-analyze", minimal, {
      query: "?token=token-one&header=all",
    });
    expect(JSON.parse(text)).toEqual({
      return_code: -1001,
      return_message: 'header: "all" is unknown, valid are "display", "names"',
    });
  });
});
