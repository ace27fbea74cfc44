import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../../cmd/query/query.ts";
import {
  AnalyzeEventsResponseSchema,
  DownloadEventsResponseSchema,
  DownloadEventUsersResponseSchema,
  ListEventUsersResponseSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { AnalysisEngine } from "../../../services/analysis/engine.ts";
import { AnalysisRefusal, returnCodes } from "../../../services/analysis/refusal/refusal.ts";
import type { CohortMember } from "../../../store/events/events.ts";
import { minimal, openProxy } from "../../services/analysis/proxy-server.ts";
import { folderWith } from "../config/load.ts";
import { type RunOptions, runEngage } from "../run-engage.ts";

const analyzed = create(AnalyzeEventsResponseSchema, {
  returnCode: 0,
  returnMessage: "success",
  data: {
    x: [{ label: "d1" }, { label: "d2" }],
    y: [{ resultKey: "login.TOTAL_TIMES", entries: [{ values: { numbers: [10, 1_000] } }] }],
    info: { warnings: [{ message: "x is unknown and ignored" }] },
  },
});

const engine: Partial<AnalysisEngine> = {
  analyze: async () => ({ message: analyzed }),
  listUsers: async ({ eventIndex, sliceGroupVal }) => ({
    message: create(ListEventUsersResponseSchema, {
      data: { datalist: [{ userId: String(eventIndex), accountId: String(sliceGroupVal.length) }] },
    }),
  }),
  async *download() {
    const header = { x: [{ label: "d1" }] };
    yield create(DownloadEventsResponseSchema, { content: { case: "header", value: header } });
  },
  async *downloadUsers({ selectedColumns }) {
    const columns = selectedColumns.map((name) => ({ name }));
    yield create(DownloadEventUsersResponseSchema, { content: { case: "header", value: { columns } } });
  },
};

/** Runs the command on a query in `q.json`, against a server of its own. */
async function query(args: string[], options: RunOptions & { engine?: Partial<AnalysisEngine> } = {}) {
  const { url } = await openProxy({ engine: options.engine ?? engine });
  const cwd = folderWith({ "q.json": JSON.stringify(minimal), "engage.yaml": "" });
  const env = { ENGAGE_TOKEN: "token-one" };
  const run = await runEngage(["query", ...args, "--url", url], { cwd, env, ...options });
  return { ...run, cwd, stderr: run.stderr.replaceAll(url, "URL") };
}

describe("engage query", () => {
  test("prints a table, and warnings beside it", async () => {
    expect(await query(["q.json"])).toMatchObject({
      code: 0,
      stderr: "warning: x is unknown and ignored\n",
      stdout: "METRIC             d1    d2\nlogin.TOTAL_TIMES  10  1000\n",
    });
  });

  test("prints a chart, or the answer as it comes", async () => {
    expect((await query(["q.json", "--plot"])).stdout).toContain("── login.TOTAL_TIMES");
    expect(JSON.parse((await query(["q.json", "--json"])).stdout)).toMatchObject({ return_code: 0 });
  });

  test("asks for users, whose slice is the whole unless it is said", async () => {
    expect((await query(["q.json", "--users"])).stdout).toBe(
      "#user_id  #account_id  #distinct_id\n       0  0\n1 user\n",
    );
  });

  test("writes CSV, to a file too", async () => {
    expect((await query(["q.json", "--csv"])).stdout).toBe('"Metric","d1"\n');
    const { cwd, stdout } = await query(["q.json", "--csv", "--users", "--out", "users.csv"]);
    expect(stdout).toBe("");
    expect(readFileSync(join(cwd, "users.csv"), "utf8")).toBe('"#user_id","#account_id","#distinct_id"\n');
  });

  test("gives a terminal no characters that steer it, and a pipe the bytes as they are", async () => {
    const row = { resultKey: "a\u001b[2J\u009bm", entries: [{}] };
    const steering: Partial<AnalysisEngine> = {
      async *download() {
        yield create(DownloadEventsResponseSchema, {
          content: { case: "header", value: { x: [{ label: "d" }] } },
        });
        yield create(DownloadEventsResponseSchema, { content: { case: "rows", value: row } });
      },
    };
    const { url } = await openProxy({ engine: steering });
    const cwd = folderWith({ "q.json": JSON.stringify(minimal), "engage.yaml": "" });
    const stdout = Object.assign(new PassThrough(), { isTTY: true });
    const terminal = { stdin: Readable.from([]), stdout, stderr: new PassThrough() } as never;
    const options = { url, csv: true, token: "token-one" };
    await runQuery({ env: {}, cwd }, join(cwd, "q.json"), options, terminal);
    stdout.end();
    expect(await text(stdout)).toContain('"a\\u001b[2J\\u009bm"');
    expect((await query(["q.json", "--csv"], { engine: steering })).stdout).toContain(`"${row.resultKey}"`);
  });

  const words = Array.from({ length: 400 }, (_, at) => `word${at}`).join(", ");

  test("shows all of a long warning and of a long refusal, with --json too", async () => {
    const warned = create(AnalyzeEventsResponseSchema, {
      returnCode: 0,
      returnMessage: "success",
      data: { x: [], y: [], info: { warnings: [{ message: `valid are ${words}` }] } },
    });
    const { stderr } = await query(["q.json"], { engine: { analyze: async () => ({ message: warned }) } });
    expect(stderr).toBe(`warning: valid are ${words}\n`);
    const refusing: Partial<AnalysisEngine> = {
      async analyze() {
        throw new AnalysisRefusal(returnCodes.parameter, `valid are ${words}`);
      },
    };
    const refused = await query(["q.json", "--json"], { engine: refusing });
    const error = { code: "failed", message: `URL: -1001 valid are ${words}`, exit_code: 1 };
    expect(JSON.parse(refused.stderr)).toEqual({ error });
  });

  test("takes a file that begins with a byte order mark", async () => {
    const run = await query(["-"], { input: `\ufeff${JSON.stringify(minimal)}` });
    expect(run.code).toBe(0);
  });

  test("reads standard input, and takes another project and token", async () => {
    const run = await query(["-", "--project", "1", "--token", "token-root"], {
      input: JSON.stringify({ ...minimal, projectId: 99 }),
    });
    expect(run.code).toBe(0);
  });

  test("a file is for CSV only", async () => {
    const { code, stderr } = await query(["q.json", "--out", "result.txt"]);
    expect([code, stderr]).toEqual([2, "engage: --out takes CSV, give --csv too\n"]);
  });

  test.each([
    [
      "a token that is missing",
      ["q.json"],
      { env: {} },
      "URL: -1008 Parameter (token) is empty; give --token",
    ],
    [
      "a project out of reach",
      ["q.json", "--project", "2"],
      {},
      "URL: -1002 the token has no access to project 2",
    ],
    [
      "a download that is refused",
      ["q.json", "--csv", "--project", "2"],
      {},
      "URL: -1002 the token has no access",
    ],
    ["a file that is not there", ["none.json"], {}, 'cannot read "none.json": no such file or folder'],
    [
      "a folder for a file",
      ["q.json", "--csv", "--out", "."],
      {},
      'cannot write ".": it is a folder, not a file',
    ],
    ["no JSON", ["-"], { input: "{" }, "standard input is not JSON"],
    ["no query", ["-"], { input: "[]" }, "standard input is not a query, which is a JSON object"],
    [
      "a download that breaks off",
      ["q.json", "--csv"],
      {
        engine: {
          async *download() {
            const rows = { resultKey: "a", entries: [{}] };
            yield create(DownloadEventsResponseSchema, { content: { case: "rows", value: rows } });
            throw new Error("in the middle");
          },
        } satisfies Partial<AnalysisEngine>,
      },
      "URL: ",
    ],
  ])("%s is reported in one line", async (_what, args, options, message) => {
    const { code, stderr } = await query(args, options);
    expect([code, stderr.split("\n").length]).toEqual([1, 2]);
    expect(stderr).toContain(`engage: ${message}`);
  });

  test("a missing server is reported too", async () => {
    const cwd = folderWith({ "q.json": "{}" });
    const { code, stderr } = await runEngage(["query", "q.json", "--url", "http://127.0.0.1:1"], { cwd });
    expect([code, stderr]).toEqual([
      1,
      "engage: http://127.0.0.1:1: connection refused by 127.0.0.1:1: is the server running?\n",
    ]);
  });
});

describe("engage cluster", () => {
  async function cluster(args: string[], input: string) {
    const stored: CohortMember[] = [];
    const cohorts = {
      today: () => "2026-08-23",
      async importCohort(_version: unknown, pieces: AsyncIterable<readonly CohortMember[]>) {
        for await (const piece of pieces) stored.push(...piece);
        return { members: stored.length, unknown: 0 };
      },
      cohorts: async () => [
        { projectId: 1, name: "vip", day: "2026-08-23", kind: "cohort" as const, members: 3 },
      ],
    };
    const { url } = await openProxy({ cohorts });
    const options = { cwd: folderWith({ "engage.yaml": "" }), env: { ENGAGE_TOKEN: "token-one" }, input };
    const run = await runEngage(["cluster", ...args, "--project", "1", "--url", url], options);
    return { ...run, stored, stderr: run.stderr.replaceAll(url, "URL") };
  }

  test("imports account ids, one a line", async () => {
    const ids = Array.from({ length: 4_500 }, (_, i) => `a${i}`);
    const { stored, stdout } = await cluster(["import", "vip", "-"], ids.join("\r\n"));
    expect(stdout).toBe("vip: 4500 members of 2026-08-23, 0 unknown ids skipped\n");
    expect(stored).toEqual(ids.map((accountId) => ({ accountId })));
  });

  test("imports a tag from CSV with a header", async () => {
    const csv = '#user_id,account_id,value\n7,,gold\n,"a,b",silver\n';
    const { stored } = await cluster(["import", "level", "-", "--tag", "--day", "2026-08-01"], csv);
    expect(stored).toEqual([
      { userId: 7n, value: "gold" },
      { accountId: "a,b", value: "silver" },
    ]);
  });

  test.each([
    ["user_id\nx\n", 'engage: line 2: "x" is not a user id\n'],
    ["account_id,value\n,x\n", "engage: line 2 has no id\n"],
    ['a\n"b\n', "engage: cannot read the members: Quote Not Closed"],
    ["account_id,value\na,x\n", "engage: URL: members[0].value: is only valid for a tag"],
  ])("of %j it tells what is wrong", async (csv, message) => {
    const { code, stderr } = await cluster(["import", "vip", "-"], csv);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  test("a tag without a value is reported with its line", async () => {
    const { code, stderr } = await cluster(["import", "level", "-", "--tag"], "account_id,value\na,x\nb,\n");
    expect([code, stderr]).toEqual([1, expect.stringContaining("engage: line 3 has no value for the tag\n")]);
  });

  test("lists what was imported", async () => {
    expect((await cluster(["list"], "")).stdout).toBe(
      "NAME  DAY         KIND    MEMBERS\nvip   2026-08-23  cohort        3\n",
    );
  });
});
