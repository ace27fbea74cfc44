import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { DownloadEventsResponseSchema } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { createTokenList } from "../../../services/analysis/admission/tokens.ts";
import { errorOf, typed } from "./calls.ts";
import { endless, minimal, openProxy, tokens } from "./proxy-server.ts";

describe("time", () => {
  test("a query that takes too long is cancelled", async () => {
    const seen: { readonly signal: AbortSignal }[] = [];
    const { rest, finished } = await openProxy({ engine: { analyze: endless(seen as never) } });
    const { text } = await rest("event-analyze", { ...minimal, timeoutSeconds: 1 });
    expect(JSON.parse(text)).toEqual({
      return_code: -1004,
      return_message: "the query did not end within 1 s and was cancelled",
    });
    expect(seen[0]?.signal.aborted).toBe(true);
    expect(finished).toEqual(["analyze embedded timeout"]);
  });

  test("so is one whose engine does not listen", async () => {
    const { client } = await openProxy({ engine: { analyze: () => new Promise(() => undefined) } });
    const query = { ...typed, timeoutSeconds: 1 };
    const error = await errorOf(client.analyzeEvents({ token: "token-one", query }));
    expect(error.findDetails(ErrorInfoSchema)[0]?.metadata).toEqual({ return_code: "-1004" });
  });

  test("the deadline of the call counts too", async () => {
    const seen: { readonly signal: AbortSignal }[] = [];
    const { client } = await openProxy({ engine: { analyze: endless(seen as never) } });
    const error = await errorOf(
      client.analyzeEvents({ token: "token-one", query: typed }, { timeoutMs: 50 }),
    );
    expect(error.code).toBe(Code.DeadlineExceeded);
    await expect.poll(() => seen[0]?.signal.aborted).toBe(true);
  });

  test("a download is cancelled when its reader leaves", async () => {
    const seen: AbortSignal[] = [];
    const { client, finished } = await openProxy({
      engine: {
        async *download(_query, { signal }) {
          seen.push(signal);
          for (;;) {
            yield create(DownloadEventsResponseSchema, { content: { case: "rows", value: {} } });
            await new Promise(setImmediate);
          }
        },
      },
    });
    for await (const _ of client.downloadEvents({ token: "token-one", query: typed })) break;
    await expect.poll(() => [seen[0]?.aborted, finished]).toEqual([true, ["download embedded cancelled"]]);
  });
});

describe("a download", () => {
  test.each([
    ["is removed", []],
    ["loses the project", [{ ...tokens[0]!, projects: [2] }]],
  ])("ends when its token %s", async (_what, left) => {
    let list = createTokenList(tokens);
    const { client } = await openProxy({
      tokens: { find: (token) => list.find(token) },
      engine: {
        async *download() {
          for (;;) {
            yield create(DownloadEventsResponseSchema, { content: { case: "rows", value: {} } });
            await new Promise(setImmediate);
          }
        },
      },
    });
    const download = client.downloadEvents({ token: "token-one", query: typed })[Symbol.asyncIterator]();
    const other = client.downloadEvents({ token: "token-root", query: typed })[Symbol.asyncIterator]();
    await Promise.all([download.next(), other.next()]);
    list = createTokenList([...left, tokens[1]!]);
    const untilEnd = async () => {
      for (;;) await download.next();
    };
    await expect(untilEnd()).rejects.toMatchObject({ code: Code.PermissionDenied });
    expect((await other.next()).done).toBe(false);
    await other.return?.();
  });
});
