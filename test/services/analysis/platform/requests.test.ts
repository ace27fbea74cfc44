import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { create, type DescMessage, type JsonObject, toJson } from "@bufbuild/protobuf";
import { NullValue } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { JsonReading } from "../../../../base/rpc/json-reading.ts";
import {
  EventDownloadQuerySchema,
  EventQuerySchema,
  EventUserDownloadQuerySchema,
  EventUserQuerySchema,
} from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { platformConfigSchema } from "../../../../services/analysis/platform/config.ts";
import { encodeQuery } from "../../../../services/analysis/platform/encode-query.ts";
import { decodeMessage } from "../../../../services/analysis/rest/decode-message.ts";
import { createNotingTracer } from "../../../base/trace/noting-tracer.ts";
import { readCase } from "../../../proto/cases.ts";
import { answerEncoded, answerText, openFakePlatform } from "./fake-platform.ts";
import { goodAnswers, openEngine, operations, restCall, run, runWith, token } from "./platform-engine.ts";

const platform = await openFakePlatform();
const engine = openEngine(`${platform.url}/base/`);
const mapped = openEngine(platform.url, { projects: { "377": 12 } });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  await mapped[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});
beforeEach(() => {
  platform.requests.length = 0;
});

const paths = {
  analyze: "/open/event-analyze",
  listUsers: "/open/event-user-list",
  download: "/open/streaming-download/event-analyze",
  downloadUsers: "/open/streaming-download/event-user-list",
};

/** Metrics of which one names a project that the caller may not query. */
const metrics = '{"events":[{"projectId":377},{ "projectId": 5 }],"projectId":377}';

describe.each(operations)("%s", (operation) => {
  const { type, body } = goodAnswers[operation];

  test("belongs to the trace of its call, which it passes on", async () => {
    platform.behave(answerText(200, type, body));
    const { tracer, spans } = createNotingTracer();
    const trace = tracer.startSpan("call", {});
    const call = { signal: new AbortController().signal, rest: restCall };
    await runWith(engine, operation, { ...call, trace });
    await runWith(engine, operation, call);
    expect(spans.slice(1)).toMatchObject([{ name: "POST", parent: trace.traceparent, hasEnded: true }]);
    expect(JSON.stringify(spans[1]!.attributes)).not.toContain("/base/");
    expect(platform.requests.map(({ headers }) => headers["traceparent"])).toEqual([
      spans[1]!.span.traceparent,
      undefined,
    ]);
  });

  test("names its sender, and reads encoded answers", async () => {
    platform.behave(answerText(200, type, body));
    const plain = await run(engine, operation, "rest");
    expect(platform.requests[0]?.headers).toMatchObject({
      "user-agent": expect.stringMatching(/^engage\/\d/),
      "accept-encoding": "gzip, deflate, br",
    });
    for (const [name, encode] of [
      ["gzip", gzipSync],
      ["deflate", deflateSync],
      ["br", brotliCompressSync],
    ] as const) {
      platform.behave(answerEncoded(type, name, encode(body)));
      expect(await run(engine, operation, "rest")).toEqual(plain);
    }
  });

  test("hands on the exact body and the parameters of a REST caller, with the platform's token", async () => {
    platform.behave(answerText(200, type, body));
    await run(engine, operation, "rest");
    const [seen] = platform.requests;
    expect(seen?.path).toBe(`/base${paths[operation]}`);
    expect(seen?.body.equals(restCall.body)).toBe(true);
    expect(seen?.contentType).toBe("application/json");
    expect([...(seen?.search ?? [])]).toEqual([
      ["a", "1"],
      ["b", "x y"],
      ["token", token],
    ]);
  });

  test("gives the project its id at the platform, and changes nothing else", async () => {
    platform.behave(answerText(200, type, body));
    await run(mapped, operation, "rest");
    await run(mapped, operation, "typed");
    const [rest, typed] = platform.requests;
    expect(rest?.body.toString()).toBe('{ "projectId": 12, "odd": 1.0 }');
    expect(JSON.parse(String(typed?.body))).toMatchObject({ projectId: 12, zoneOffset: 8 });
  });

  test("gives the metrics of a REST caller the project of their query", async () => {
    platform.behave(answerText(200, type, body));
    const asks = { signal: new AbortController().signal, rest: { ...restCall, body: Buffer.from(metrics) } };
    for (const one of [engine, mapped]) await runWith(one, operation, asks);
    expect(platform.requests.map((seen) => seen.body.toString())).toEqual([
      metrics.replace("5", "377"),
      metrics.replaceAll("377", "12").replace("5", "12"),
    ]);
  });

  test("asks in the platform's words for a typed caller", async () => {
    platform.behave(answerText(200, type, body));
    await run(engine, operation, "typed");
    expect(JSON.parse(String(platform.requests[0]?.body))).toMatchObject({
      projectId: 377,
      eventView: {
        recentDay: "1-7",
        timeParticleSize: "day",
        groupBy: [{ columnName: "version", tableType: "event" }],
      },
      events: [{ type: "normal", eventName: "install", analysis: "TRIG_USER_NUM", eventUuid: "u-1" }],
      zoneOffset: 8,
    });
  });
});

/** Bodies as callers send them, by their query. */
const bodies: [file: string, schema: DescMessage][] = [
  ...[
    "a001_official_doc_sample",
    "a002_skill_template_limit_timeout",
    "a008_quota_entities_trig_user",
    "a020_pet_synthesis_list_group",
    "a022_resource_get_object_subprops",
    "a038_per_capita_formula_login",
    "a042_dungeon_dimension_and_max",
    "a044_compound_filter",
    "a046_percentile",
    "a049_any_event",
  ].map((name): [string, DescMessage] => [`${name}.json`, EventQuerySchema]),
  ["u001_user_list_template.json", EventUserQuerySchema],
  ["u003_user_list_ungrouped_overall.json", EventUserQuerySchema],
  ["d001_stream_event_analyze.json", EventDownloadQuerySchema],
  ["d002_stream_user_list_selected_columns.json", EventUserDownloadQuerySchema],
];
const options = { projectId: 377, overallLabel: "Overall" };

describe("encodeQuery is the inverse of reading", () => {
  const read = (schema: DescMessage, json: unknown) => {
    const message = decodeMessage(schema, json, new JsonReading());
    return toJson(schema, create(schema, { ...message, projectId: 377n, ignoredFields: [] }));
  };

  test.each(bodies)("%s", (file, schema) => {
    const message = decodeMessage(schema, readCase(file), new JsonReading());
    const again = JSON.parse(encodeQuery(schema, message, options)) as JsonObject;
    const expected = read(schema, readCase(file)) as JsonObject;
    // Members that the platform requires are sent even if the caller uses the default.
    const required = schema === EventQuerySchema ? { useCache: true, ...expected } : expected;
    expect(read(schema, again)).toEqual(required);
  });

  test("each comparator has its word", () => {
    const all = readCase("a037_all_23_official_comparators.json") as JsonObject[];
    const words = (body: JsonObject) => (body["eventView"] as { filts: { comparator: string }[] }).filts;
    for (const body of all) {
      const message = decodeMessage(EventQuerySchema, body, new JsonReading());
      const again = JSON.parse(encodeQuery(EventQuerySchema, message, options)) as JsonObject;
      expect(words(again).map(({ comparator }) => comparator)).toEqual(
        words(body).map(({ comparator }) => comparator),
      );
    }
  });

  test("the group of missing values and the one group of all have their labels", () => {
    const slice = [
      { value: { case: "nullValue" as const, value: NullValue.NULL_VALUE } },
      { value: { case: "label" as const, value: "a" } },
    ];
    const encode = (sliceGroupVal: typeof slice) =>
      JSON.parse(encodeQuery(EventUserQuerySchema, create(EventUserQuerySchema, { sliceGroupVal }), options));
    expect(encode(slice)).toMatchObject({ sliceGroupVal: ["(null)", "a"] });
    const literal = { value: { case: "label" as const, value: "(null)" } };
    expect(encode([literal])).toMatchObject({ sliceGroupVal: ["(null)"] });
    expect(encode([])).toMatchObject({ sliceGroupVal: ["Overall"] });
  });

  test("what callers may not set is not sent", () => {
    const query = create(EventQuerySchema, { ignoredFields: ["x"], useCache: false });
    expect(encodeQuery(EventQuerySchema, query, options)).toBe('{"useCache":false,"projectId":377}');
  });
});

describe("configuration", () => {
  const good = { baseUrl: "https://platform.example.com", token };

  test("has defaults", () => {
    expect(platformConfigSchema.parse(good)).toMatchObject({
      timeoutMs: 90_000,
      retries: 2,
      paths: [],
      breaker: { failures: 5 },
      overallLabels: ["Overall", "总体"],
    });
  });

  test.each([
    [{ token: "short" }],
    [{ baseUrl: "ftp://x" }],
    [{ baseUrl: "https://x/open" }],
    [{ baseUrl: "https://user:pass@x" }],
    [{ baseUrl: "https://x?token=1" }],
    [{ paths: ["../admin"] }],
    [{ paths: ["a/.."] }],
    [{ paths: ["/retention"] }],
    [{ paths: ["a*b"] }],
    [{ projects: { x: 1 } }],
    [{ unknown: 1 }],
  ])("refuses %j", (change) => {
    expect(platformConfigSchema.safeParse({ ...good, ...change }).success).toBe(false);
  });
});
