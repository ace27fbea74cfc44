import { describe, expect, test } from "vitest";
import { readBody } from "../../services/webhook/bodies.ts";
import { folderWith } from "../config/load.ts";
import { listen, secret } from "../listener.ts";
import { runEngage } from "../run-engage.ts";

const send = (...args: readonly string[]) => runEngage(["send", ...args]);

describe("one batch", () => {
  test("of flags is shown with its answer and both verdicts", async () => {
    const { url, seen } = await listen();
    const params = ["--param", "title=a=b", "text=", "--custom-param", "level=3"];
    const { code, stdout, stderr } = await send(
      url,
      "--secret",
      secret,
      "--push-id",
      "ann",
      "",
      "--request-id",
      "r-1",
      ...params,
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^POST http:\/\/127\.0\.0\.1:\d+\/ \(\d+ bytes\)$/),
      "  content-type: application/json",
      expect.stringMatching(/^ {2}X-SVC-OPS-Signature: [0-9a-f]{40}$/),
      expect.stringMatching(/^ {2}\[\{"push_id":"ann","params":\{"title":"a=b","text":""\},"custom_params"/),
      expect.stringMatching(/^HTTP 200 after \d+ ms$/),
      '  {"return_code":0,"return_message":"success","data":{"fail_list":[{"index":2,"message":"push_id is required"}]}}',
      "  strict   1 failed: 2 push_id is required",
      "  lenient  1 failed: 2 push_id is required",
      "",
    ]);
    expect(seen).toMatchObject([
      { signature: "matches", requestId: "r-1", messages: [{ pushId: "ann" }, {}] },
    ]);
  });

  test("of a file or standard input goes byte for byte", async () => {
    const { url, seen } = await listen();
    const body = readBody("w001_manual_sample_full.json");
    const cwd = folderWith({ "batch.json": body.toString() });
    await runEngage(["send", url, "--secret", secret, "--file", "batch.json"], { cwd });
    await runEngage(["send", url, "--secret", secret, "--file", "-"], { input: body });
    expect(seen.map(({ bytes, signature, repeat }) => [bytes, signature, repeat])).toEqual([
      [body.length, "matches", undefined],
      [body.length, "matches", "same"],
    ]);
  });

  test("of a journey has no request id", async () => {
    const { url, seen } = await listen();
    await send(url, "--secret", secret, "--push-id", "ann", "--journey");
    expect(seen).toMatchObject([{ messages: [{ receipt: { ops_flow_id: "engage-send" } }] }]);
    expect(seen[0]).not.toHaveProperty("requestId");
  });
});

describe("faults", () => {
  const table: [args: readonly string[], code: number, signature: string][] = [
    [["--upper-case"], 0, "matches"],
    [["--no-signature"], 1, "missing, expected in X-SVC-OPS-Signature"],
    [
      ["--wrong-secret"],
      1,
      "mismatch: another secret, or the body was changed in transit: no other known cause fits",
    ],
    [["--reserialise"], 1, "mismatch: signed before the body was written again (compact JSON)"],
    [["--slow", "500"], 0, "matches"],
  ];
  test.each(table)("%j", async (args, code, signature) => {
    const { url, seen } = await listen();
    const result = await send(url, "--secret", secret, "--push-id", "ann", ...args);
    expect([result.code, seen.map((one) => one.signature)]).toEqual([code, [signature]]);
  });

  test("a cut body is no request", async () => {
    const { url, seen } = await listen();
    const result = await send(url, "--secret", secret, "--push-id", "ann", "--cut", "10");
    expect(result.code).toBe(1);
    expect(result.stdout).toContain(
      "  strict   call failed (connection, would be retried): connection closed after 10 bytes, as configured\n",
    );
    expect(seen).toEqual([]);
  });

  test.each([[[]], [["--concurrent"]]])("duplicates %j", async (args) => {
    const { url, seen } = await listen();
    const { stdout } = await send(
      url,
      "--secret",
      secret,
      "--push-id",
      "ann",
      "--duplicate",
      "3",
      "--json",
      ...args,
    );
    const calls = stdout.trimEnd().split("\n");
    expect(calls.map((line) => JSON.parse(line).strict)).toEqual(
      Array(3).fill({ kind: "accepted", failed: [], warnings: [] }),
    );
    expect(seen.map(({ repeat }) => repeat)).toEqual([undefined, "same", "same"]);
  });

  test("an empty body is a matter of validation", async () => {
    const { url } = await listen({ response: { fail: [], returnCode: 0, status: 200, isEmpty: true } });
    const { code, stdout } = await send(url, "--secret", secret, "--push-id", "ann");
    expect([code, stdout.split("\n").slice(-5)]).toEqual([
      1,
      [
        expect.stringMatching(/^HTTP 200 after/),
        "  (no body)",
        "  strict   call failed (invalid_answer, would not be retried): reply has no body",
        "  lenient  all succeeded; warning: reply has no body",
        "",
      ],
    ]);
  });
});

describe("the command line", () => {
  const url = "http://127.0.0.1:1/";
  const table: [args: readonly string[], code: number, message: string][] = [
    [[url], 2, "--file or --push-id is required"],
    [["here"], 2, 'the URL is "here", must be a URL such as'],
    [[url, "--file", "gone.json"], 1, 'cannot read "gone.json": no such file or folder'],
    [
      [url, "--push-id", "a", "--param", "title"],
      2,
      '--param is "title", must be a pair such as "title=hello"',
    ],
    [[url, "--push-id", "a", "--wrong-secret"], 2, "--upper-case require --secret"],
    [[url, "--push-id", "a", "--file", "b"], 2, "cannot be used with option"],
    [[url, "--push-id", "a", "--cut", "none"], 2, "must be a whole number, at least 1"],
  ];
  test.each(table)("%j", async (args, code, message) => {
    const result = await send(...args);
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  test("a body that is not JSON is not rewritten", async () => {
    const { stderr } = await runEngage(["send", url, "--secret", "a", "--file", "-", "--reserialise"], {
      input: "[",
    });
    expect(stderr).toBe("engage: --reserialise requires a body in JSON\n");
  });
});
