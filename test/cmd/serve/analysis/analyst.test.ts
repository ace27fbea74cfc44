import { fromJson, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { sha256Hex } from "../../../../base/text/digest.ts";
import { loadConfig } from "../../../../cmd/config/config.ts";
import { startServer } from "../../../../cmd/serve/server.ts";
import { AnalyzeEventsRequestSchema } from "../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { envelope, grpcStatusOf, openHttp2, sendHttp1 } from "../../../e2e/raw.ts";
import { openForAll } from "../../../open-for-all.ts";
import { folderWith } from "../../config/load.ts";

const keys = [
  { name: "analyst", sha256: sha256Hex("key-analyst"), methods: ["engage.analysis.v1.AnalysisProxy/*"] },
  { name: "sender", sha256: sha256Hex("key-sender"), methods: ["engage.event.v1.EventCollector/*"] },
];

function open(settings: object) {
  return openForAll(async (onEnd) => {
    const cwd = folderWith(
      {
        "engage.yaml": JSON.stringify({
          listen: "127.0.0.1:0",
          data: "data",
          log: { level: "silent" },
          projects: [
            { id: 1, appids: ["shop"] },
            { id: 2, appids: ["game"] },
          ],
          analysis: { tokens: [{ name: "one", token: "token-one", projects: [1] }] },
          ...settings,
        }),
      },
      onEnd,
    );
    const { config, locate } = loadConfig({ env: {}, cwd });
    const server = await startServer(config, { locate });
    onEnd(() => server.stop());
    return server.address;
  });
}

const withoutKeys = open({});
const withKeys = open({ auth: { mode: "keys", keys } });
const withoutConsole = open({ console: false });

const queryOf = (projectId: number) => ({
  projectId,
  eventView: { recentDay: "0-1", timeParticleSize: "TIME_PARTICLE_SIZE_TOTAL" },
  events: [{ type: "METRIC_TYPE_NORMAL", eventName: "login", analysis: "AGGREGATION_TOTAL_TIMES" }],
});

type Headers = Readonly<Record<string, string>>;

const analyzeEvents = "/engage.analysis.v1.AnalysisProxy/AnalyzeEvents";

/** Sends a query of a project over Connect; returns the status and the text of the response. */
async function analyze(port: number, headers: Headers, projectId = 2, token = ""): Promise<string> {
  const body = JSON.stringify({ token, query: queryOf(projectId) });
  const head = { "content-type": "application/json", "content-length": String(body.length), ...headers };
  const answer = await sendHttp1(port, `POST ${analyzeEvents}`, head, body);
  return `${answer.status} ${answer.body}`;
}

const page = { "sec-fetch-site": "same-origin" };
const noToken = "401 .*Parameter \\(token\\) is empty";

test.each<
  [what: string, server: typeof withoutKeys, headers: Headers, args: [number?, string?], answer: string]
>([
  ["the console where no keys are asked for", withoutKeys, page, [], "200 .*values"],
  ["a program there", withoutKeys, {}, [], noToken],
  ["a page of another port there", withoutKeys, { "sec-fetch-site": "same-site" }, [], "40[13] "],
  ["a page of another site there", withoutKeys, { "sec-fetch-site": "cross-site" }, [], "403 "],
  [
    "the console with a token, which counts",
    withoutKeys,
    page,
    [2, "token-one"],
    "403 .*no access to project 2",
  ],
  ["a page while the console is off", withoutConsole, page, [], noToken],
  ["a page without a key where keys are asked for", withKeys, page, [], "401 .*needs a key"],
  ["a key that may query", withKeys, { authorization: "Bearer key-analyst" }, [], "200 .*values"],
  [
    "it, and a project that does not exist",
    withKeys,
    { authorization: "Bearer key-analyst" },
    [3],
    "400 .*valid are 1, 2",
  ],
  ["a key that may not", withKeys, { authorization: "Bearer key-sender" }, [], "403 "],
  [
    "a token beside a key",
    withKeys,
    { authorization: "Bearer key-analyst" },
    [1, "token-one"],
    "200 .*values",
  ],
])("%s", async (_what, server, headers, args, answer) => {
  expect(await analyze(server().port, headers, ...args)).toMatch(new RegExp(`^${answer}`));
});

test("the platform's own paths ask for a token, also of pages", async () => {
  const body = JSON.stringify({ projectId: 2 });
  const headers = { "content-type": "application/json", "content-length": String(body.length), ...page };
  const answer = await sendHttp1(withoutKeys().port, "POST /open/event-analyze", headers, body);
  expect(`${answer.body}`).toBe('{"return_code":-1008,"return_message":"Parameter (token) is empty"}');
});

test("native gRPC, which pages do not have, asks for a token", async () => {
  const message = fromJson(AnalyzeEventsRequestSchema, { query: queryOf(2) });
  const head = { ":path": analyzeEvents, "content-type": "application/grpc", te: "trailers", ...page };
  using request = openHttp2(withoutKeys().url, head);
  request.stream.end(envelope(toBinary(AnalyzeEventsRequestSchema, message)));
  expect(grpcStatusOf(await request.answer)).toBe(Code.Unauthenticated);
});
