import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Trace } from "../../../../base/trace/trace.ts";
import { serve } from "../../../../gateway/methods.ts";
import {
  AnalysisProxy,
  type ForwardQueryRequest,
  ForwardQueryRequestSchema,
} from "../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { AnalysisEngine } from "../../../../services/analysis/engine.ts";
import { createForwardQuery } from "../../../../services/analysis/platform/forward.ts";
import { compileAllowedPaths } from "../../../../services/analysis/platform/platform.ts";
import { toCallError } from "../../../../services/analysis/refusal/call-error.ts";
import { AnalysisRefusal, returnCodesByStatus } from "../../../../services/analysis/refusal/refusal.ts";
import { createNotingTracer } from "../../../base/trace/noting-tracer.ts";
import { openRestServer } from "../../../gateway/rest/rest-server.ts";
import {
  answerChunks,
  answerText,
  type Behaviour,
  closeAtOnce,
  cutOff,
  openFakePlatform,
} from "./fake-platform.ts";
import { collect, failure, openEngine, token } from "./platform-engine.ts";

const platform = await openFakePlatform();
const engine = openEngine(platform.url, { paths: ["retention-analyze", "funnel/*"], projects: { "2": 20 } });
const embedded = {} as AnalysisEngine;
const engines = new Map<number, AnalysisEngine>([
  [1, engine],
  [2, engine],
  [3, embedded],
]);
const asked: string[] = [];
const traces: Trace[] = [];
const refusals: Readonly<Record<string, () => never>> = {
  bad: () => {
    throw new AnalysisRefusal(-1002, "the token does not reach this project");
  },
};
const forwardQuery = createForwardQuery({
  engines: [...engines.values()],
  engineOf: (projectId) => engines.get(projectId),
  authorize: ({ token: given }: ForwardQueryRequest, projectId) => {
    asked.push(`${given} ${projectId}`);
    refusals[given]?.();
    return { trace: traces.at(-1), recheck() {} };
  },
});
const server = await openRestServer({
  services: [
    serve(
      AnalysisProxy,
      {
        async *forwardQuery(request, context) {
          try {
            yield* forwardQuery(request, context, context.signal);
          } catch (error) {
            throw toCallError(error);
          }
        },
      },
      { returnCodes: returnCodesByStatus },
    ),
  ],
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});
beforeEach(() => {
  platform.requests.length = 0;
  asked.length = 0;
  traces.length = 0;
});

async function post(path: string, body: string, contentType = "application/json") {
  const response = await fetch(server.url + path, {
    method: "POST",
    body,
    headers: { "content-type": contentType },
  });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

describe("other paths of the platform", () => {
  const body = '{ "projectId": 1, "by": 1.0 }';
  const answers: [name: string, behaviour: Behaviour, type: string, text: string][] = [
    [
      "JSON",
      answerText(200, "application/json;charset=UTF-8", '{"return_code":0 }'),
      "application/json;charset=UTF-8",
      '{"return_code":0 }',
    ],
    [
      "a refusal",
      answerText(200, "application/json", '{"return_code":-7 }'),
      "application/json",
      '{"return_code":-7 }',
    ],
    ["a file", answerChunks("text/csv", ["a,", "b\n"]), "text/csv", "a,b\n"],
    ["nothing", answerText(200, "text/plain", ""), "text/plain", ""],
    ["no content type", answerChunks("", ["x"]), "application/octet-stream", "x"],
  ];
  test.each(answers)("pass %s through", async (_name, behaviour, type, text) => {
    platform.behave(behaviour);
    expect(await post("/open/funnel/a/b?token=own&x=1&x=2", body)).toEqual({ status: 200, type, text });
    const [seen] = platform.requests;
    expect([seen?.path, seen?.body.toString(), asked]).toEqual(["/open/funnel/a/b", body, ["own 1"]]);
    expect([...(seen?.search ?? [])]).toEqual([
      ["x", "1"],
      ["x", "2"],
      ["token", token],
    ]);
  });

  test("belong to the trace of their call, which they pass on", async () => {
    platform.behave(answerText(200, "application/json", "{}"));
    const { tracer, spans } = createNotingTracer();
    await post("/open/funnel/a", body);
    traces.push(tracer.startSpan("call", {}));
    await post("/open/funnel/a", body);
    expect(spans.slice(1)).toMatchObject([
      { name: "POST", parent: traces[0]!.traceparent, failure: undefined, hasEnded: true },
    ]);
    expect(platform.requests.map(({ headers }) => headers["traceparent"])).toEqual([
      undefined,
      spans[1]!.span.traceparent,
    ]);
  });

  test("get the project's id at the platform", async () => {
    platform.behave(answerText(200, "text/plain", "x"));
    await post("/open/retention-analyze", '{"projectId":"2"}');
    expect([platform.requests[0]?.body.toString(), asked]).toEqual(['{"projectId":"20"}', [" 2"]]);
  });

  const unknown = (path: string) => ({
    status: 404,
    type: "application/json",
    text: JSON.stringify({
      return_code: -1001,
      return_message: `nothing is served at ${JSON.stringify(path)}, valid are /open/event-analyze, /open/event-user-list, /open/streaming-download/event-analyze, /open/streaming-download/event-user-list and the paths in analysis.platform.paths; /docs describes them`,
    }),
  });

  test.each([
    ["that no engine takes", "/open/distribution-analyze", '{"projectId":1}'],
    ["that no engine takes, whatever the body", "/open/other", "x"],
    ["of a project on another engine", "/open/retention-analyze", '{"projectId":3}'],
    ["of a project that does not exist", "/open/retention-analyze", '{"projectId":9}'],
    ["of nothing", "/open/", "{}"],
    ["that is a folder", "/open/funnel", "{}"],
    ["that leads elsewhere", "/open/funnel/a%3Fb", '{"projectId":1}'],
  ])("are not there: one %s", async (_name, path, text) => {
    expect(await post(path, text)).toEqual(unknown(decodeURIComponent(path)));
    expect(platform.requests).toEqual([]);
  });

  test.each([
    ["x", "the body is not a JSON object in UTF-8"],
    ["[]", "the body is not a JSON object in UTF-8"],
    ["{}", "projectId: is required"],
    ['{"projectId":"x"}', 'projectId: "x" is not a project id, valid is a whole number above 0'],
    ['{"projectId":-1}', "projectId: -1 is not a project id, valid is a whole number above 0"],
  ])("need a project: %s", async (text, message) => {
    const answer = await post("/open/retention-analyze", text);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      { return_code: -1001, return_message: message },
    ]);
  });

  test("need a token that reaches it", async () => {
    const answer = await post("/open/retention-analyze?token=bad", '{"projectId":1}');
    expect(JSON.parse(answer.text)).toEqual({
      return_code: -1002,
      return_message: "the token does not reach this project",
    });
    expect(platform.requests).toEqual([]);
  });

  const faults: [name: string, behaviour: Behaviour, code: number][] = [
    ["an error page", answerText(502, "text/html", "<html>"), -1006],
    ["a page in HTTP 200", answerText(200, "text/html", "<html>"), -1006],
    ["a refusal in another status", answerText(403, "application/json", '{"return_code":-1008}'), -1008],
    ["a closed connection", closeAtOnce, -1006],
  ];
  test.each(faults)("answer %s as a refusal", async (_name, behaviour, code) => {
    platform.behave(behaviour);
    const answer = await post("/open/retention-analyze", '{"projectId":1}');
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([200, { return_code: code }]);
  });

  test("break off where the platform's answer is cut off", async () => {
    platform.behave(cutOff("text/csv", "a,b\n", "chunked"));
    expect(await failure(post("/open/retention-analyze", '{"projectId":1}'))).toMatchObject({
      cause: expect.anything(),
    });
  });

  test("take their parameters from the message where there is no URL", async () => {
    platform.behave(answerText(200, "text/plain", "x"));
    const request = create(ForwardQueryRequestSchema, {
      path: "retention-analyze",
      parameters: "x=1&token=own",
      body: { data: Buffer.from('{"projectId":1}') },
    });
    const context = { url: "http://host/engage.analysis.v1.AnalysisProxy/ForwardQuery" };
    await collect(forwardQuery(request, context as never, new AbortController().signal));
    expect(String(platform.requests[0]?.search.get("x"))).toBe("1");
    expect(platform.requests[0]?.search.getAll("token")).toEqual([token]);
  });

  test("name no other project than their body does, and no form", async () => {
    platform.behave(answerText(200, "text/plain", "x"));
    const refused = await post("/open/retention-analyze?projectId=104", '{"projectId":1}');
    expect(refused.text).toContain('projectId: \\"104\\" is not the project of the query, which is 1');
    const nested = await post("/open/retention-analyze", '{"projectId":1,"query":{"projectID":104}}');
    expect(nested.text).toContain("projectID: 104 is not the project of the query, which is 1");
    expect(platform.requests).toEqual([]);
    await post(
      "/open/retention-analyze",
      '\ufeff{"projectId":2,"a":"&projectId=104"}',
      "application/json;charset=utf-8",
    );
    const [seen] = platform.requests;
    expect(seen?.body.toString()).toBe('{"projectId":20,"a":"&projectId=104"}');
    expect(seen?.contentType).toBe("application/json");
  });

  test("are no place for the four fixed ones", async () => {
    const answer = await post("/open/event-analyze", "{}");
    expect(answer.text).toContain("is part of the contract but not implemented");
  });
});

describe("allowed paths", () => {
  test.each([
    [["*"], "a/b-c_d.e~1", true],
    [["a"], "a", true],
    [["a"], "a/b", false],
    [["a/*"], "a/b/c", true],
    [["a/*"], "a", false],
    [["a/*"], "ab", false],
    [["*"], "", false],
    [["*"], "a//b", false],
    [["*"], "a/../b", false],
    [["*"], ".", false],
    [["*"], "a?token=1", false],
    [["*"], "a#b", false],
    [["*"], "a%2fb", false],
    [["*"], "a b", false],
    [["*"], "a\r\nx: y", false],
    [[], "a", false],
  ])("%j: %j is %s", (allowed, path, expected) => {
    expect(compileAllowedPaths(allowed)(path)).toBe(expected);
  });
});

test("a query ends with the next part when its token is removed", async () => {
  let isRemoved = false;
  const twoParts = {
    forwards: () => true,
    async *forward() {
      yield "first";
      isRemoved = true;
      yield "second";
    },
  } as unknown as AnalysisEngine;
  const forward = createForwardQuery({
    engines: [twoParts],
    engineOf: () => twoParts,
    authorize: () => ({
      trace: undefined,
      recheck() {
        if (isRemoved) throw new AnalysisRefusal(-1002, "the token was removed");
      },
    }),
  });
  const request = create(ForwardQueryRequestSchema, {
    path: "retention-analyze",
    body: { data: Buffer.from('{"projectId":1}') },
  });
  const context = { url: "http://127.0.0.1/" } as HandlerContext;
  const parts = forward(request, context, new AbortController().signal);
  expect((await parts.next()).value).toBe("first");
  await expect(parts.next()).rejects.toThrow("the token was removed");
});
