import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import {
  AnalyzeEventsResponseSchema,
  DownloadEventsResponseSchema,
  DownloadEventUsersResponseSchema,
  ListEventUsersResponseSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { ErrorInfoSchema, RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { TooManyQueriesError } from "../../../store/events/events.ts";
import { errorOf, failing, typed } from "./calls.ts";
import { minimal, openProxy } from "./proxy-server.ts";

const analyzed = create(AnalyzeEventsResponseSchema, {
  returnCode: 0,
  returnMessage: "success",
  data: { x: [{ label: "2026-08-23" }], y: [{ resultKey: "login.TOTAL_TIMES" }], info: {} },
});

async function all<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const message of messages) found.push(message);
  return found;
}

describe("tokens", () => {
  test("in the header, and in the message before it", async () => {
    const { client, rest } = await openProxy({ engine: { analyze: async () => ({ message: analyzed }) } });
    const headers = { authorization: "Bearer token-one" };
    const { text } = await rest("event-analyze", minimal, { query: "", headers });
    expect(JSON.parse(text)).toMatchObject({ return_code: 0 });
    expect((await client.analyzeEvents({ query: typed }, { headers })).returnCode).toBe(0);
    const error = await errorOf(client.analyzeEvents({ token: "x", query: typed }, { headers }));
    expect(error.code).toBe(Code.PermissionDenied);
  });

  test("never reach the log", async () => {
    const { rest, logged, finished } = await openProxy({ engine: failing(new Error("a fault")) });
    await rest("event-analyze", minimal);
    await rest("event-analyze", minimal, { query: "?token=another-secret" });
    await rest("streaming-download/event-analyze", minimal);
    await rest("nowhere", minimal);
    expect(finished).toHaveLength(4);
    expect(logged()).toContain("a fault");
    expect(logged()).not.toMatch(/token-one|another-secret/);
  });

  test("may not be used too often, each for itself", async () => {
    let nowMs = 0;
    const { client } = await openProxy({
      engine: { analyze: async () => ({ message: analyzed }) },
      monotonic: () => nowMs,
    });
    const ask = (token: string) => client.analyzeEvents({ token, query: typed });
    await ask("token-slow");
    await ask("token-slow");
    const error = await errorOf(ask("token-slow"));
    expect(error.findDetails(ErrorInfoSchema)[0]?.metadata).toEqual({ return_code: "-1005" });
    expect(error.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds).toBe(1_000n);
    await ask("token-one");
    nowMs = 1_000_000;
    expect((await ask("token-slow")).returnCode).toBe(0);
  });

  test("share the limit of the configuration where they have none of their own", async () => {
    const { client } = await openProxy({
      engine: { analyze: async () => ({ message: analyzed }) },
      rateLimit: () => ({ perSecond: 1, burst: 1 }),
    });
    await client.analyzeEvents({ token: "token-one", query: typed });
    const error = await errorOf(client.analyzeEvents({ token: "token-one", query: typed }));
    expect(error.rawMessage).toBe("too many queries with this token, at most 1 a second");
  });
});

describe("what is answered", () => {
  test("by gRPC as messages, by REST in the platform's form", async () => {
    const { client, rest, sources, finished } = await openProxy({
      engine: { analyze: async () => ({ message: analyzed }) },
    });
    expect((await client.analyzeEvents({ token: "token-one", query: typed })).data?.y[0]?.resultKey).toBe(
      "login.TOTAL_TIMES",
    );
    const { text, type } = await rest("event-analyze", minimal);
    expect(type).toBe("application/json");
    expect(JSON.parse(text)).toEqual({
      return_code: 0,
      return_message: "success",
      data: { x: ["2026-08-23"], union_groups: [], union_group_num: 0, y: [{ "login.TOTAL_TIMES": [] }] },
    });
    expect(sources).toEqual(["analyze engine", "analyze engine"]);
    expect(finished).toEqual(["analyze embedded ok", "analyze embedded ok"]);
  });

  test("the exact body and URL go to the engine, without the token, and its bytes come back", async () => {
    const seen: unknown[] = [];
    const { rest } = await openProxy({
      engine: {
        listUsers: async (_query, { rest }) => {
          seen.push(Buffer.from(rest?.body ?? "").toString(), String(rest?.search));
          return {
            message: create(ListEventUsersResponseSchema),
            json: Buffer.from('{"return_code":0,"n":1.0}'),
          };
        },
      },
    });
    const body = JSON.stringify({ ...minimal, sliceGroupVal: [], eventIndex: 0 }, undefined, 1);
    const { text } = await rest("event-user-list", body, { query: "?token=token-one&trace=a%20b" });
    expect([text, ...seen]).toEqual(['{"return_code":0,"n":1.0}', body, "trace=a+b"]);
  });

  test("downloads, as a file and as messages", async () => {
    const header = { case: "header" as const, value: { x: [{ label: "d1" }], info: {} } };
    const entries = [{ values: { numbers: [1] } }];
    const rows = { case: "rows" as const, value: { resultKey: "a", displayName: "A", entries } };
    const { rest, client } = await openProxy({
      engine: {
        async *download() {
          yield create(DownloadEventsResponseSchema, { content: header });
          yield create(DownloadEventsResponseSchema, { content: rows });
        },
      },
    });
    const path = "streaming-download/event-analyze";
    const { text, type } = await rest(path, minimal, { query: "?token=token-one&header=names" });
    expect([type, text]).toEqual(["text/csv; charset=utf-8", '"metric","d1"\n"a","1"\n']);
    const pieces = await all(client.downloadEvents({ token: "token-one", query: typed, bom: true }));
    expect(pieces.map(({ content }) => content.case)).toEqual(["header", "rows"]);
    expect(pieces[0]?.content.value).toMatchObject({ csv: { stableNames: false, byteOrderMark: true } });
  });

  test("a download as a file names its warnings in a header", async () => {
    const warnings = ['cohort "größe" is not known', ...Array(99).fill("x".repeat(80))];
    const header = {
      case: "header" as const,
      value: { columns: [], info: { warnings: warnings.map((message) => ({ message })) } },
    };
    const { url } = await openProxy({
      engine: {
        async *downloadUsers() {
          yield create(DownloadEventUsersResponseSchema, { content: header });
        },
      },
    });
    const query = { ...minimal, sliceGroupVal: [], eventIndex: 0, selectedColumns: ["#user_id"] };
    const path = "/open/streaming-download/event-user-list?token=token-one";
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(query),
    });
    const reported = response.headers.get("analysis-warnings")!;
    expect(reported).toMatch(/^\["cohort \\"gr\\u00f6\\u00dfe\\" is not known",/);
    expect(JSON.parse(reported)).toEqual([...warnings.slice(0, 48), "52 more"]);
  });

  test("faults in the form of a query are reported with faults in its meaning", async () => {
    const { rest, client } = await openProxy({
      engine: {
        faultsOf: async (query) => [
          { field: "limit", description: "is not set" },
          { field: "eventView.startTime", description: `is bad, ${query.events.length} metric` },
        ],
      },
    });
    const { text } = await rest("event-analyze", { ...minimal, limit: "ten", timeoutSeconds: 9_000 });
    expect(JSON.parse(text)).toEqual({
      return_code: -1001,
      return_message:
        'limit: "ten" is not a whole number from 1 to 10000; timeoutSeconds: 9000 is not valid, valid is 1 to 3600; eventView.startTime: is bad, 1 metric',
    });
    const file = await rest("streaming-download/event-analyze", minimal, {
      query: "?token=token-one&header=x",
    });
    expect(JSON.parse(file.text).return_message).toContain('header: "x" is unknown');
    expect(JSON.parse(file.text).return_message).toContain("eventView.startTime: is bad");
    const typedCall = client.analyzeEvents({ token: "token-one", query: { ...typed, timeoutSeconds: 0 } });
    await expect(typedCall).rejects.toThrow("eventView.startTime: is bad");
  });

  test("an unknown project is reported with all other faults", async () => {
    const { rest } = await openProxy();
    const { text } = await rest(
      "event-analyze",
      { ...minimal, projectId: 9, limit: "ten" },
      { query: "?token=token-root" },
    );
    expect(JSON.parse(text).return_message).toMatch(/^projectId: there is no project 9, .*; limit: "ten" is/);
  });

  test("a download without rows is a header", async () => {
    const { rest } = await openProxy({
      engine: {
        async *downloadUsers() {
          const content = { case: "header" as const, value: { columns: [{ name: "#user_id" }] } };
          yield create(DownloadEventUsersResponseSchema, { content });
        },
      },
    });
    const query = { ...minimal, sliceGroupVal: [], eventIndex: 0, selectedColumns: ["#user_id"] };
    const { text } = await rest("streaming-download/event-user-list", query);
    expect(text).toBe('"#user_id"\n');
  });

  test("a download that fails before its first row is an error, a later failure breaks it off", async () => {
    const content = { case: "header" as const, value: { x: [] } };
    const rows = { case: "rows" as const, value: { resultKey: "a", entries: [{}] } };
    let pieces = [content] as (typeof content | typeof rows)[];
    const { rest, finished } = await openProxy({
      engine: {
        async *download() {
          for (const piece of pieces) yield create(DownloadEventsResponseSchema, { content: piece });
          throw new TooManyQueriesError("full");
        },
      },
    });
    const path = "streaming-download/event-analyze";
    expect(JSON.parse((await rest(path, minimal)).text)).toMatchObject({ return_code: -1005 });
    pieces = [content, rows];
    await expect(rest(path, minimal)).rejects.toThrow();
    expect(finished).toEqual(Array(2).fill("download embedded busy"));
  });

  test("other paths exist only on a platform that takes them", async () => {
    const { rest } = await openProxy();
    const { status, text } = await rest("distribution-analyze", { projectId: 1 });
    expect([status, JSON.parse(text)]).toEqual([
      404,
      {
        return_code: -1001,
        return_message: expect.stringMatching(
          /^nothing is served at "\/open\/distribution-analyze", valid are \/open\/event-analyze, /,
        ),
      },
    ]);
  });
});
