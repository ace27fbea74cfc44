import { inspect } from "node:util";
import { toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  AnalyzeEventsResponseSchema,
  DownloadEventsResponseSchema,
  DownloadEventUsersResponseSchema,
  ListEventUsersResponseSchema,
} from "../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import {
  answerJson,
  answerText,
  type Behaviour,
  closeAtOnce,
  cutOff,
  openFakePlatform,
  staySilent,
  writeAndReset,
} from "./fake-platform.ts";
import { callers, failure, openEngine, operations, run, token } from "./platform-engine.ts";

const escaped = encodeURIComponent(token);
const csv = `"Metric","version","2026-08-23"\n"${token}","${escaped}","7"\n`;
const data = {
  x: ["2026-08-23", token],
  y: [{ [`install.${token}`]: [{ group_cols: [token], values: ["7", token] }] }],
  datalist: [{ "#user_id": 1, name: `x${token}x`, [token]: 1 }],
  columMeta: { [token]: escaped },
};

/** Platforms that repeat the token wherever it can be. */
const echoes: [name: string, behaviour: Behaviour][] = [
  ["a refusal", answerJson(undefined, { return_code: -1002, return_message: `token ${token} (${escaped})` })],
  ["an error page", answerText(502, "text/html", `<html>GET /?token=${escaped} ${token}`)],
  ["a page in HTTP 200", answerText(200, "text/html", `<html>?token=${escaped} ${token}`)],
  ["its content type", answerText(500, `text/plain;t=${escaped}`, "x")],
  ["data", answerJson(data)],
  ["a success message", answerJson(data, { return_message: token })],
  ["data that cannot be read", answerJson({ ...data, x: [token] })],
  ["no return code", answerText(200, "application/json", JSON.stringify({ token }))],
  ["a file", answerText(200, "text/csv", csv)],
  ["a file that is cut off", cutOff("text/csv", csv, "chunked")],
  ["a file that is no table", answerText(200, "text/csv", `a,b,c,${token}\n1,"${token}`)],
  ["a head that is no HTTP", writeAndReset(`${token}\r\n\r\n`)],
  ["a reset", closeAtOnce],
  ["silence", staySilent],
];

/** Returns all visible text of a value, at any depth. */
function textOf(value: unknown): string {
  const options = {
    depth: 20,
    showHidden: true,
    maxStringLength: null,
    maxArrayLength: null,
    getters: true,
  } as const;
  return inspect(value, options);
}

const schemas = {
  analyze: AnalyzeEventsResponseSchema,
  listUsers: ListEventUsersResponseSchema,
  download: DownloadEventsResponseSchema,
  downloadUsers: DownloadEventUsersResponseSchema,
} as const;

test.each(
  echoes.flatMap(([name, behaviour]) =>
    operations.flatMap((operation) => callers.map((caller) => [name, operation, caller, behaviour] as const)),
  ),
)("the token is not in what %s gives: %s by %s", async (_name, operation, caller, behaviour) => {
  await using platform = await openFakePlatform(behaviour);
  const reported: unknown[] = [];
  await using engine = openEngine(
    platform.url,
    { retries: 1, timeoutMs: 250 },
    { observer: { retried: (error) => reported.push(error) } },
  );
  const results: object[] = [];
  const error = await failure(run(engine, operation, caller).then((all) => void results.push(...all)));
  const messages = results.map((one) => [
    one instanceof Uint8Array ? Buffer.from(one).toString() : toJson(schemas[operation], one as never),
    ...[(one as { content?: { value?: unknown } }).content?.value]
      .filter((value) => value instanceof Uint8Array)
      .map((raw) => Buffer.from(raw).toString()),
  ]);
  const seen = [error, (error as Error).stack, messages, reported].map(textOf).join("\n");
  expect(seen).not.toContain(token);
  expect(seen.toLowerCase()).not.toContain(escaped.toLowerCase());
  expect(platform.requests.every(({ search }) => search.get("token") === token)).toBe(true);
});
