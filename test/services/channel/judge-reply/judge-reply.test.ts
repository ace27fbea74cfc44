import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExchangeFailureKind, ExchangeOutcome } from "../../../../services/channel/exchange/exchange.ts";
import {
  judgeOutcome,
  type Validation,
  type Verdict,
} from "../../../../services/channel/judge-reply/judge-reply.ts";
import { readCase } from "../../../proto/cases.ts";
import { casesOf } from "../../../thorough.ts";

const size = 5;

function judge(outcome: ExchangeOutcome, elements: number, validation: Validation): Verdict {
  return judgeOutcome(outcome, elements, validation, (text) => text);
}

function answer(text: string, status = 200, more: object = {}): ExchangeOutcome {
  return { kind: "response", status, headers: {}, text, isTruncated: false, ...more };
}

/** `ok`, `ok 1,3 !2` (failed indexes, number of warnings), or `reason` with `+` where it may be sent again. */
function short(verdict: Verdict): string {
  if (verdict.kind === "failed") return `${verdict.reason}${verdict.isRetryable ? "+" : ""}`;
  const failed = verdict.failed.map(({ index }) => index).join(",");
  const warnings = verdict.warnings.length === 0 ? "" : `!${verdict.warnings.length}`;
  return ["ok", failed, warnings].filter(Boolean).join(" ");
}

function both(outcome: ExchangeOutcome): [strict: string, lenient: string] {
  return [short(judge(outcome, size, "strict")), short(judge(outcome, size, "lenient"))];
}

describe("answers seen or specified", () => {
  const cases = readCase("w013_responses.json") as { http: number; body: object | null; means: string }[];
  const expected = [
    ["ok", "ok"],
    ["ok 3", "ok 3"],
    ["return_code+", "return_code+"],
    ["ok", "ok"],
    ["ok", "ok"],
    ["http_status+", "http_status+"],
    ["invalid_answer", "ok !1"],
    ["invalid_answer", "ok !1"],
  ];
  it.each(cases.map((one, at) => [one.means, one, expected[at]] as const))("%s", (_means, one, verdicts) => {
    expect(both(answer(one.body === null ? "" : JSON.stringify(one.body), one.http))).toEqual(verdicts);
  });
});

describe("bodies of HTTP 200", () => {
  const list = (...entries: unknown[]) =>
    JSON.stringify({ return_code: 0, data: { fail_list: entries.map((index) => ({ index })) } });
  const table: [body: string, strict: string, lenient: string][] = [
    ['{"return_code":0,"return_message":null,"data":null}', "ok", "ok"],
    ['{"return_code":0,"data":{}}', "ok", "ok"],
    ['{"return_code":0.0,"extra":1,"data":{"more":[]}}', "ok", "ok"],
    ['{"return_code":-0}', "ok", "ok"],
    [' \n{"return_code":0}\r\n', "ok", "ok"],
    // Return codes.
    ['{"return_code":1}', "return_code+", "return_code+"],
    ['{"return_code":2}', "return_code+", "return_code+"],
    ['{"return_code":-1008,"return_message":"token"}', "return_code+", "return_code+"],
    ['{"return_code":1,"data":{"fail_list":[{"index":0}]}}', "return_code+", "return_code+"],
    ['{"return_code":"1"}', "return_code+", "return_code+"],
    ['{"return_code":1e300}', "return_code+", "return_code+"],
    ['{"return_code":1e400}', "return_code+", "return_code+"],
    ['{"return_code":0.5}', "return_code+", "return_code+"],
    ['{"return_code":"failed"}', "return_code+", "return_code+"],
    ['{"return_code":""}', "return_code+", "return_code+"],
    ['{"return_code":false}', "return_code+", "return_code+"],
    ['{"return_code":[0]}', "return_code+", "return_code+"],
    ['{"return_code":"0"}', "invalid_answer", "ok !1"],
    ['{"return_code":" 0 "}', "invalid_answer", "ok !1"],
    ['{"return_code":null}', "invalid_answer", "ok !1"],
    ["{}", "invalid_answer", "ok !1"],
    ['{"data":{"fail_list":[{"index":2}]}}', "invalid_answer", "ok 2 !1"],
    // Other members.
    ['{"return_code":0,"return_message":7}', "invalid_answer", "ok !1"],
    ['{"return_code":0,"data":[]}', "invalid_answer", "ok !1"],
    ['{"return_code":0,"data":"ok"}', "invalid_answer", "ok !1"],
    ['{"return_code":0,"data":{"fail_list":{}}}', "invalid_answer", "ok !1"],
    ['{"return_code":0,"data":{"fail_list":""}}', "invalid_answer", "ok !1"],
    ['{"return_code":0,"data":{"fail_list":[{"index":2,"message":null}]}}', "ok 2", "ok 2"],
    ['{"return_code":0,"data":{"fail_list":[{"index":2,"message":404}]}}', "invalid_answer", "ok 2 !1"],
    ['{"return_code":0,"data":{"fail_list":[2]}}', "invalid_answer", "ok !1"],
    ['{"return_code":0,"data":{"fail_list":[null,{"index":2}]}}', "invalid_answer", "ok 2 !1"],
    // Indexes.
    [list(1, 2, 3, 4, 5), "ok 1,2,3,4,5", "ok 1,2,3,4,5"],
    [list(5, 1), "ok 1,5", "ok 1,5"],
    [list(2.0), "ok 2", "ok 2"],
    [list(0), "invalid_answer", "ok !1"],
    [list(-1, 2), "invalid_answer", "ok 2 !1"],
    [list(6), "invalid_answer", "ok !1"],
    [list(1e300), "invalid_answer", "ok !1"],
    [list(2, 2), "invalid_answer", "ok 2 !1"],
    [list(2, "2"), "invalid_answer", "ok 2 !2"],
    [list("2"), "invalid_answer", "ok 2 !1"],
    [list("0"), "invalid_answer", "ok !2"],
    [list("two"), "invalid_answer", "ok !1"],
    [list(1.5), "invalid_answer", "ok !1"],
    [list(true), "invalid_answer", "ok !1"],
    [list(undefined), "invalid_answer", "ok !1"],
    [list(...Array(50).fill(0)), "invalid_answer", "ok !20"],
    // Bodies that are not replies.
    ["", "invalid_answer", "ok !1"],
    [" \r\n", "invalid_answer", "ok !1"],
    ["null", "invalid_answer", "ok !1"],
    ["[]", "invalid_answer", "ok !1"],
    ["0", "invalid_answer", "ok !1"],
    ['"success"', "invalid_answer", "ok !1"],
    ["success", "invalid_answer", "ok !1"],
    ["<html>", "invalid_answer", "ok !1"],
    ['{"return_code":0', "invalid_answer", "ok !1"],
    ['{"return_code":0}{"return_code":0}', "invalid_answer", "ok !1"],
    ['\ufeff{"return_code":0}', "invalid_answer", "ok !1"],
    ["[".repeat(100_000), "invalid_answer", "ok !1"],
    [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, "invalid_answer", "ok !1"],
  ];
  it.each(table)("%.60s", (body, strict, lenient) => {
    expect(both(answer(body))).toEqual([strict, lenient]);
  });

  it.each([
    [502, 'HTTP 502, an HTML page with the title "502 Bad Gateway"'],
    [200, 'reply is not JSON but an HTML page with the title "502 Bad Gateway"'],
  ])("of a proxy are named by their title, with status %i", (status, message) => {
    const page = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>…</body></html>";
    expect(judge(answer(page, status), size, "strict")).toMatchObject({ message });
  });

  it("that cannot be read are not judged", () => {
    const bodyFault = 'response has the content encoding "zstd", valid are gzip, deflate and br';
    expect(both(answer("", 200, { bodyFault }))).toEqual(["invalid_answer", "invalid_answer"]);
    expect(judge(answer("", 200, { bodyFault }), size, "lenient")).toMatchObject({
      message: bodyFault,
    });
    expect(both(answer("", 503, { bodyFault }))).toEqual(["http_status+", "http_status+"]);
  });

  it("that are longer than what is read are not judged", () => {
    expect(both(answer('{"return_code":0}', 200, { isTruncated: true }))).toEqual([
      "invalid_answer",
      "invalid_answer",
    ]);
  });
});

describe("other statuses", () => {
  const table: [status: number, body: string, verdict: string][] = [
    [201, '{"return_code":0}', "http_status"],
    [204, "", "http_status"],
    [301, "", "http_status"],
    [307, '{"return_code":1}', "http_status+"],
    [400, '{"return_code":1}', "http_status+"],
    [400, '{"return_code":0}', "http_status"],
    [401, "", "http_status"],
    [404, "<html>", "http_status"],
    [408, "", "http_status+"],
    [413, "", "http_status"],
    [429, "", "http_status+"],
    [500, "[]", "http_status+"],
    [501, "", "http_status"],
    [503, '{"return_code":1}', "http_status+"],
    [504, "<html>", "http_status+"],
  ];
  it.each(table)("%i %s", (status, body, verdict) => {
    expect(both(answer(body, status))).toEqual([verdict, verdict]);
  });

  it("say where a redirect leads, and what the receiver said", () => {
    const redirect = judge(answer("", 302, { headers: { location: "/login" } }), size, "lenient");
    const refusal = judge(answer('{"return_code":1,"return_message":"who"}', 401), size, "strict");
    expect([redirect, refusal]).toMatchObject([
      { message: "HTTP 302, redirects are not followed, this one is to /login" },
      { message: "HTTP 401, return_code 1: who" },
    ]);
  });
});

describe("calls without an answer", () => {
  const table: [kind: ExchangeFailureKind, verdict: string][] = [
    ["timeout", "timeout+"],
    ["connection", "connection+"],
    ["cut", "connection+"],
    ["not_http", "invalid_answer"],
    ["refused_address", "refused_address"],
    ["cancelled", "cancelled"],
  ];
  it.each(table)("%s", (kind, verdict) => {
    expect(both({ kind, message: "why" })).toEqual([verdict, verdict]);
  });
});

describe("messages name the place", () => {
  const table: [body: string, message: string][] = [
    ['{"code":0}', "return_code is missing"],
    ['{"return_code":"0"}', 'return_code must be an integer, found "0"'],
    ['{"return_code":0,"data":[]}', "data must be an object, found an array"],
    [
      '{"return_code":0,"data":{"fail_list":[{"index":1},{"index":0}]}}',
      "data.fail_list[1].index must be from 1 to 5 (it counts from 1), found 0",
    ],
    ['{"return_code":3,"return_message":"busy"}', "return_code 3: busy"],
    ['{"return_code":-1.5e400}', "return_code -1.5e400"],
    ['{"return_code":0,"data":{"fail_list":[1e999]}}', "data.fail_list[0] must be an object, found 1e999"],
    ["[]", "body must be an object, found an array"],
  ];
  it.each(table)("%s", (body, message) => {
    expect(judge(answer(body), size, "strict")).toMatchObject({ kind: "failed", message });
  });
});

describe("properties", () => {
  const index = fc.oneof(fc.integer({ min: -1, max: 7 }), fc.constantFrom("2", "x", 1.5, null, true));
  const entry = fc.oneof(
    fc.record({ index, message: fc.oneof(fc.string(), fc.constantFrom(null, 1)) }, { requiredKeys: [] }),
    fc.jsonValue(),
  );
  const body = fc.record(
    {
      return_code: fc.constantFrom<unknown>(0, 0, 0, 0, 1, "0", "1", null, -1, 0.5),
      return_message: fc.oneof(fc.string(), fc.jsonValue()),
      data: fc.oneof(fc.record({ fail_list: fc.array(entry) }), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  const text = fc.oneof(
    { weight: 4, arbitrary: body.map((value) => JSON.stringify(value)) },
    fc.json(),
    fc.string(),
  );
  const status = fc.oneof({ weight: 4, arbitrary: fc.constant(200) }, fc.integer({ min: 200, max: 599 }));
  const elements = fc.integer({ min: 0, max: 6 });

  it("what strict validation takes, lenient takes alike and without a warning", () => {
    fc.assert(
      fc.property(text, status, elements, (body, code, n) => {
        const strict = judge(answer(body, code), n, "strict");
        fc.pre(strict.kind === "accepted");
        expect(strict.warnings).toEqual([]);
        expect(judge(answer(body, code), n, "lenient")).toEqual(strict);
      }),
      { numRuns: casesOf(2_000) },
    );
  });

  it("failed indexes are ascending, without a repeat, and of the batch", () => {
    fc.assert(
      fc.property(text, elements, (body, n) => {
        const verdict = judge(answer(body), n, "lenient");
        const indexes = verdict.kind === "accepted" ? verdict.failed.map((one) => one.index) : [];
        expect(indexes).toEqual([...new Set(indexes)].sort((a, b) => a - b));
        expect(indexes.filter((one) => !Number.isInteger(one) || one < 1 || one > n)).toEqual([]);
      }),
      { numRuns: casesOf(2_000) },
    );
  });

  it("an answer of the specified form is read as it was written", () => {
    const failed = fc
      .uniqueArray(fc.integer({ min: 1, max: 500 }))
      .chain((indexes) =>
        fc
          .array(fc.string(), { minLength: indexes.length, maxLength: indexes.length })
          .map((messages) => indexes.map((one, at) => ({ index: one, message: messages[at]! }))),
      );
    fc.assert(
      fc.property(failed, fc.constantFrom<Validation>("strict", "lenient"), (list, validation) => {
        const written = JSON.stringify({ return_code: 0, return_message: "x", data: { fail_list: list } });
        expect(judge(answer(written), 500, validation)).toEqual({
          kind: "accepted",
          failed: list.toSorted((a, b) => a.index - b.index),
          warnings: [],
        });
      }),
    );
  });
});
