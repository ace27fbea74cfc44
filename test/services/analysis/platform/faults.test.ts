import { gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import {
  answerEncoded,
  answerJson,
  answerText,
  answerUnmarked,
  type Behaviour,
  closeAtOnce,
  cutOff,
  drip,
  openFakePlatform,
  stall,
  staySilent,
  writeAndReset,
} from "./fake-platform.ts";
import { callers, failure, goodAnswers, openEngine, operations, run } from "./platform-engine.ts";

const platform = await openFakePlatform();
const short = { timeoutMs: 300, idleTimeoutMs: 200, maxAnswerBytes: 2_048, maxRowBytes: 2_048 };
const engine = openEngine(platform.url, { ...short, breaker: { failures: 1_000_000 } });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});
beforeEach(() => {
  platform.requests.length = 0;
});

const json = "application/json";
const page = "<html><head><title>502 Bad Gateway</title></head></html>";
const refusal = (code: unknown) =>
  JSON.stringify({ return_code: code, return_message: "limit must be a number" });

/** Faults that are the same for every operation. */
const always: [name: string, behaviour: Behaviour, returnCode: number, message: RegExp][] = [
  ["a refusal in HTTP 200", answerText(200, json, refusal(-1001)), -1001, /^limit must be a number$/],
  ["a refusal whose code is a text", answerText(200, json, refusal("-1005")), -1005, /^limit must be/],
  ["a refusal of a code of its own", answerText(200, json, refusal(-2044)), -2044, /^limit must be/],
  [
    "a refusal after a byte order mark",
    answerText(200, json, `\ufeff${refusal(-1001)}`),
    -1001,
    /^limit must/,
  ],
  [
    "a refusal after a byte order mark that says it is a file",
    answerText(200, "text/csv", `\ufeff${refusal(-1008)}`),
    -1008,
    /^limit must be/,
  ],
  [
    "an HTML page after a byte order mark that says it is a file",
    answerText(200, "text/csv", `\ufeff${page}`),
    -1006,
    /HTTP 200 text\/csv/,
  ],
  ["a refusal without a message", answerText(200, json, '{"return_code":-9}'), -9, /^return_code -9$/],
  ["a refusal in another HTTP status", answerText(400, json, refusal(-1001)), -1001, /^limit must be/],
  ["a refusal that says it is a file", answerText(200, "text/csv", refusal(-1008)), -1008, /^limit must be/],
  [
    "an HTML error page",
    answerText(502, "text/html", page),
    -1006,
    /HTTP 502 text\/html, "<html><head>.*502 Bad/,
  ],
  ["an HTML page in HTTP 200", answerText(200, "text/html", page), -1006, /HTTP 200 text\/html, "<html>/],
  [
    "an HTML page that says it is JSON",
    answerText(200, json, page),
    -1006,
    /HTTP 200 application\/json, "<html>/,
  ],
  ["a redirect", answerText(302, "text/plain", "moved"), -1006, /HTTP 302 text\/plain, "moved"/],
  ["HTTP 401", answerText(401, "text/plain", "who?"), -1006, /HTTP 401 text\/plain, "who\?"/],
  ["HTTP 429", answerText(429, "text/plain", "slow down"), -1005, /HTTP 429 text\/plain, "slow down"/],
  ["HTTP 500 in JSON of another form", answerText(500, json, '{"error":"x"}'), -1006, /HTTP 500 .*error/],
  ["truncated JSON", answerText(200, json, '{"return_code":0,"data":{'), -1006, /"\{\\"return_code\\":0/],
  ["an empty answer", answerText(200, json, ""), -1006, /HTTP 200 application\/json, an empty body/],
  ["bytes that are no UTF-8", answerText(200, json, Buffer.from([0x7b, 0xff, 0x7d])), -1006, /HTTP 200/],
  [
    "an unknown encoding",
    answerEncoded(json, "zstd", Buffer.from("{}")),
    -1006,
    /^the platform's response has the content encoding "zstd", valid are gzip, deflate and br$/,
  ],
  [
    "another encoding than it says",
    answerEncoded(json, "gzip", Buffer.from("{}")),
    -1006,
    /response is not gzip/,
  ],
  [
    "a cut encoding",
    answerEncoded(json, "gzip", gzipSync('{"return_code":0}').subarray(0, -4)),
    -1006,
    /response is not gzip: unexpected end/,
  ],
  ["a cut by length", cutOff(json, '{"return_code":0', "length"), -1006, /cut off|another length/],
  ["a cut in chunks", cutOff(json, '{"return_code":0', "chunked"), -1006, /cut off/],
  ["a reset before the answer", closeAtOnce, -1006, /cut off|cannot be reached/],
  ["a reset within the head", writeAndReset("HTTP/1.1 200 O"), -1006, /cut off/],
  ["something that is not HTTP", writeAndReset("SSH-2.0-x\r\n"), -1006, /exchange with the platform failed/],
  ["silence", staySilent, -1004, /did not respond within 300 ms/],
];

describe.each(always)("%s", (_name, behaviour, returnCode, message) => {
  test.each(operations.flatMap((operation) => callers.map((caller) => [operation, caller] as const)))(
    "%s by %s",
    async (operation, caller) => {
      platform.behave(behaviour);
      expect(await failure(run(engine, operation, caller))).toMatchObject({
        name: "AnalysisRefusal",
        returnCode,
        message: expect.stringMatching(message),
      });
      expect(platform.requests).toHaveLength(1);
    },
  );
});

describe("answers that are no downloads", () => {
  const table: [name: string, behaviour: Behaviour, returnCode: number, message: RegExp][] = [
    ["no return_code", answerText(200, json, '{"data":{}}'), -1000, /no return_code: "\{\\"data/],
    ["a list", answerText(200, json, "[]"), -1000, /no return_code/],
    ["larger than the limit", answerText(200, json, " ".repeat(3_000)), -1000, /larger than .* 2048 bytes/],
    [
      "a bomb",
      answerEncoded(json, "gzip", gzipSync(" ".repeat(10_000_000))),
      -1000,
      /larger than .* 2048 bytes/,
    ],
    ["a slow drip", drip(json, 50), -1004, /did not respond within 300 ms/],
  ];
  test.each(
    table.flatMap(([name, ...rest]) =>
      callers.flatMap((caller) =>
        (["analyze", "listUsers"] as const).map((one) => [name, one, caller, ...rest] as const),
      ),
    ),
  )("%s: %s by %s", async (_name, operation, caller, behaviour, returnCode, message) => {
    platform.behave(behaviour);
    expect(await failure(run(engine, operation, caller))).toMatchObject({
      returnCode,
      message: expect.stringMatching(message),
    });
  });

  const unreadable: [name: string, data: unknown, message: RegExp][] = [
    ["no data", null, /data is not an object/],
    ["no x", { y: [] }, /data.x is not a list/],
    ["no y", { x: [] }, /data.y is not a list/],
    ["results of unknown metrics", { x: [], y: [{ a: [] }, { b: [] }] }, /2 results for 1 metric,.*"a", "b"/],
    [
      "too few values",
      { x: ["d", "e"], y: [{ k: [{ group_cols: ["g"], values: [1] }] }] },
      /1 values for 2 labels/,
    ],
    ["no values", { x: ["d"], y: [{ k: [{ group_cols: ["g"] }] }] }, /k\[0\] has no values/],
    [
      "too few group columns",
      { x: ["d"], y: [{ k: [{ group_cols: [], values: [1] }] }] },
      /does not have 1 group_cols/,
    ],
    ["entries that are no objects", { x: ["d"], y: [{ k: ["text"] }] }, /is not an object/],
  ];
  test.each(unreadable)("typed callers are not given a guess for %s", async (_name, data, message) => {
    platform.behave(answerJson(data));
    const error = await failure(run(engine, "analyze", "typed"));
    expect(error).toMatchObject({ returnCode: -1000, message: expect.stringMatching(message) });
  });

  test.each([[null], [{}], [{ datalist: [1] }]])("nor for a user list that is %j", async (data) => {
    platform.behave(answerJson(data));
    const error = await failure(run(engine, "listUsers", "typed"));
    expect(error).toMatchObject({ returnCode: -1000, message: expect.stringContaining("datalist") });
  });
});

describe("downloads", () => {
  const csv = "text/csv";
  const table: [name: string, behave: (body: string) => Behaviour, message: RegExp][] = [
    ["cut by length", (body) => cutOff(csv, body, "length"), /cut off|another length/],
    ["cut in chunks", (body) => cutOff(csv, body, "chunked"), /cut off/],
    ["stalled", (body) => stall(csv, body), /stalled for 200 ms/],
    ["without a marked end", (body) => answerUnmarked(csv, body), /neither a length nor an end mark/],
  ];
  test.each(
    table.flatMap(([name, ...rest]) =>
      callers.flatMap((caller) =>
        (["download", "downloadUsers"] as const).map((one) => [name, one, caller, ...rest] as const),
      ),
    ),
  )("%s: %s by %s", async (_name, operation, caller, behave, message) => {
    platform.behave(behave(goodAnswers[operation].body));
    const error = await failure(run(engine, operation, caller));
    expect(error).toMatchObject({ returnCode: -1006, message: expect.stringMatching(message) });
  });

  const unreadable: [name: string, body: string, message: RegExp][] = [
    ["an empty file", "\n", /download is empty/],
    ["other columns", "a,b,c,d\n1,2,3,4\n", /3 columns for a metric and 1 groups: "a", "b", "c", "d"/],
    ["rows of other lengths", 'm,g,2026-08-23\n"x"\n', /not CSV \(CSV_RECORD_INCONSISTENT/],
    ["an open quote", 'm,g,2026-08-23\n"x,1,2\n', /not CSV \(CSV_QUOTE_NOT_CLOSED/],
    ["a row beyond the limit", `m,g,2026-08-23\n"${"x".repeat(5_000)}`, /not CSV \(CSV_MAX_RECORD_SIZE/],
    ["values that are no numbers", "m,g,2026-08-23\nx,1,many\n", /"many" in a download is not a number/],
    [
      "rows of too many metrics",
      "m,g,2026-08-23\nx,1,2\ny,1,2\n",
      /rows of "y", which is not one of the metrics/,
    ],
  ];
  test.each(unreadable)("typed callers are not given %s", async (_name, body, message) => {
    platform.behave(answerText(200, csv, body));
    const error = await failure(run(engine, "download", "typed"));
    expect(error).toMatchObject({ returnCode: -1000, message: expect.stringMatching(message) });
  });

  test("users of other columns than were selected are refused", async () => {
    platform.behave(answerText(200, csv, "a,b,c\n1,2,3\n"));
    const error = await failure(run(engine, "downloadUsers", "typed"));
    expect(error).toMatchObject({
      returnCode: -1000,
      message: expect.stringContaining("3 columns instead of the 2 selected"),
    });
  });
});
