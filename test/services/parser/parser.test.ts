import {
  Code,
  ConnectError,
  createClient,
  createRouterTransport,
  type HandlerContext,
} from "@connectrpc/connect";
import { describe, expect, it, vi } from "vitest";
import { BadRequestSchema, RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { Parser } from "../../../gen/proto/parser_pb.ts";
import { parserConfigSchema } from "../../../services/parser/config.ts";
import { openFormats } from "../../../services/parser/formats/formats.ts";
import { createParser } from "../../../services/parser/parser.ts";
import { type ParserPool, PoolBusyError, WorkerCrashError } from "../../../services/parser/pool/pool.ts";
import { createRecorder } from "./recorder.ts";

const formats = [{ name: "plain", index: "plain.log", type: "json" }];

async function serviceOf(values: object = {}, pool?: ParserPool) {
  const config = parserConfigSchema.parse({ formats, ...values });
  const { formatFor } = await openFormats(config);
  const recorder = createRecorder();
  const service = createParser({ config, formatFor, pool, now: Date.now, ...recorder });
  const client = createClient(
    Parser,
    createRouterTransport(({ service: add }) => add(Parser, service)),
  );
  async function call(content: string, headers: Record<string, string> = {}): Promise<string> {
    const response = await client.parse({ content: Buffer.from(content) }, { headers });
    return Buffer.from(response.content).toString("utf8");
  }
  return { ...recorder, service, call };
}

function poolOf(parse: ParserPool["parse"], isUsable = true): ParserPool {
  return { parse, isUsable: () => isUsable, [Symbol.asyncDispose]: async () => {} };
}

const one = '{"properties":{"a":1}}';

describe("Parse", () => {
  it("answers items, counts them and keeps what failed", async () => {
    const { call, counts, letters } = await serviceOf();
    expect(await call('plain.log|ta|{"a":1}::plain.log|ta|x::y')).toBe(`${one}::{}`);
    expect(counts).toEqual({
      inline: 1,
      "items plain": 2,
      records: 1,
      collisions: 1,
      "failed invalid_json": 1,
    });
    expect(letters).toMatchObject([{ source: "connect", index: "plain.log", line: "x::y" }]);
  });

  it.each([
    [{ "parser-framing": "lines", "parser-index": "plain.log" }, '{"a":1}\n{"a":1}\n', `${one}\n${one}\n`],
    [{ "parser-framing": "none", "parser-index": "plain.log" }, '{"a":1}\n', one],
    [{ "parser-framing": "items" }, 'plain.log|ta|{"a":1}', one],
    [{}, 'plain.log|ta|{"a":1}', one],
  ] as [Record<string, string>, string, string][])(
    "takes the framing and the index of headers %j",
    async (headers, content, answer) => {
      const { call } = await serviceOf();
      expect(await call(content, headers)).toBe(answer);
    },
  );

  it("refuses an unknown framing, naming the valid ones", async () => {
    const { call } = await serviceOf();
    const error = await call("x", { "parser-framing": "line" }).catch((reason: unknown) =>
      ConnectError.from(reason),
    );
    const message =
      'header parser-framing is "line", the nearest is "lines", valid are "items", "lines", "none"';
    expect(error).toMatchObject({ code: Code.InvalidArgument, rawMessage: message });
    expect((error as ConnectError).findDetails(BadRequestSchema)).toMatchObject([
      { fieldViolations: [{ field: "parser-framing", description: message }] },
    ]);
  });

  it.each([
    ["grpc", "{}\n{}"],
    ["rest", "{}"],
    ["connect", "{}"],
    ["another", "{}"],
  ])("has a framing of its own over %s", async (protocolName, answer) => {
    const { service } = await serviceOf({ framing: { grpc: "lines", rest: "none" } });
    const context = { protocolName, requestHeader: new Headers() } as HandlerContext;
    const response = await service.parse({ content: Buffer.from("a\nb") } as never, context);
    expect(Buffer.from(response.content ?? []).toString("utf8")).toBe(answer);
  });
});

describe("big batches", () => {
  const counts = {
    items: 1,
    records: 1,
    collisions: 0,
    deadLettersDropped: 0,
    itemsByFormat: new Map([["plain", 1]]),
    failedByReason: new Map(),
  };
  const parsed = { content: Buffer.from("answer"), counts, deadLetters: { count: 0, ndjson: Buffer.of() } };
  const big = `plain.log|ta|{"a":${" ".repeat(1_000)}1}`;

  it("go to a worker, small ones don't", async () => {
    const parse = vi.fn(async () => parsed);
    const { call, counts: seen } = await serviceOf({ workerThresholdBytes: 1_000 }, poolOf(parse));
    expect(await call(big)).toBe("answer");
    expect(await call('plain.log|ta|{"a":1}')).toBe(one);
    expect(parse).toHaveBeenCalledTimes(1);
    expect(seen).toMatchObject({ inline: 1, worker: 1, "items plain": 2, records: 2 });
  });

  it("are parsed inline while no worker can start", async () => {
    const { call } = await serviceOf(
      { workerThresholdBytes: 1_000 },
      poolOf(async () => parsed, false),
    );
    expect(await call(big)).toBe(one);
  });

  it.each([
    [new PoolBusyError("9 bytes wait"), "refused"],
    [new WorkerCrashError("a worker ended"), "crashes"],
  ])("may be sent again later: %s", async (reason, counted) => {
    const pool = poolOf(() => Promise.reject(reason));
    const { call, counts: seen } = await serviceOf({ workerThresholdBytes: 1_000 }, pool);
    const error = await call(big).catch((caught: unknown) => ConnectError.from(caught));
    expect(error).toMatchObject({ code: Code.Unavailable, rawMessage: reason.message });
    expect((error as ConnectError).findDetails(RetryInfoSchema)).toMatchObject([
      { retryDelay: { seconds: 1n } },
    ]);
    expect(seen).toMatchObject({ [counted]: 1 });
  });
});
