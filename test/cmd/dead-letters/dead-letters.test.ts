import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type DeadLetter, encodeDeadLetter } from "../../../store/deadletters/deadletters.ts";
import { openForAll } from "../../open-for-all.ts";
import { type RunResult, runEngage } from "../run-engage.ts";
import { openWebhookServer } from "../webhook-server.ts";

const parser = { formats: [{ name: "r", index: "r", type: "pass_through" }], store: { project: 1 } };
const settings = { parser, projects: [{ id: 1, appids: ["app"] }], events: { spool: { minFreeBytes: 0 } } };
const server = openForAll((onEnd) => openWebhookServer({}, { onEnd, settings }));

const engage = (...args: string[]): Promise<RunResult> =>
  runEngage(["dead-letters", ...args, "--url", server().url], { env: { ENGAGE_CONFIG: "nowhere.yaml" } });

/** Adds dead letters to the parser's file, one minute apart. */
async function keep(...letters: readonly Partial<DeadLetter>[]): Promise<void> {
  const folder = join(server().data, "deadletters");
  await mkdir(folder, { recursive: true });
  const common = { source: "grpc", index: "r", format: "r", reason: "invalid_json", message: "no JSON" };
  const texts = letters.map((letter, at) =>
    encodeDeadLetter({
      time: new Date(Date.UTC(2026, 0, 2, 3, at)),
      line: `line ${at}`,
      ...common,
      ...letter,
    }),
  );
  await appendFile(join(folder, "parser.ndjson"), texts.join(""));
}

describe("commands about dead letters", () => {
  test("find, export, count and replay them", async () => {
    const good = '{"#type":"track","#event_name":"e","#account_id":"ann","#time":"2026-01-02 03:04:05"}';
    await keep({}, { reason: "other", message: "gone\u001b[31m" }, { line: good }, { index: "unknown" });
    const kinds = await engage("kinds");
    expect(kinds).toMatchObject({ code: 0, stderr: "" });
    expect(kinds.stdout).toMatch(
      /^KIND +COUNT +SIZE +OLDEST +NEWEST\nwebhook +0\nclick +0\nparser +4 +\d+ B +2026-01-02 03:00:00.000 +2026-01-02 03:03:00.000\nrecord +0\n$/,
    );
    const { stdout: reasons } = await engage("reasons", "parser");
    expect(reasons.split("\n").map((line) => line.split(/ {2,}/).filter(Boolean))).toEqual([
      ["COUNT", "NEWEST", "REASON", "EXAMPLE"],
      ["3", "2026-01-02 03:03:00.000", "invalid_json", "no JSON"],
      ["1", "2026-01-02 03:01:00.000", "other", "gone\\u001b[31m"],
      [],
    ]);
    const list = async (...args: string[]) =>
      (await engage("list", "parser", "--json", ...args)).stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => Buffer.from(JSON.parse(line).content, "base64").toString());
    expect(await list()).toEqual(["line 3", good, "line 1", "line 0"]);
    expect(await list("--oldest-first", "--limit", "2")).toEqual(["line 0", "line 1"]);
    expect(await list("--from", "2026-01-02T03:01:00Z", "--until", "2026-01-02T04:02+01:00")).toEqual([
      "line 1",
    ]);
    expect(await list("--index", "unknown")).toEqual(["line 3"]);
    expect((await engage("list", "record")).stdout).toBe("no dead letters\n");
    const exported = await engage("export", "parser", "--reason", "other");
    expect(JSON.parse(exported.stdout)).toMatchObject({ line: "line 1", reason: "other" });
    const filter = ["parser", "--reason", "invalid_json"];
    expect((await engage("replay", ...filter, "--dry-run")).stdout).toBe(
      "3 dead letters would be replayed\n",
    );
    expect((await engage("replay", ...filter)).stdout).toMatch(
      /^1 dead letter handed on again\n2 refused again, the first: .+\n$/,
    );
    expect((await engage("replay", ...filter, "--dry-run")).stdout).toBe(
      "2 dead letters would be replayed\n",
    );
  });

  test.each([
    [["replay", "parser"], "filter has nothing but the kind, set all to replay every dead letter of it"],
    [["replay", "click", "--all"], "webhook.clicks.forward is not set"],
    [["list", "parser", "--project", "1"], "filter.project_id is not a field of this kind"],
    [
      ["list", "parser", "--from", "2026-01-02 03:04"],
      '--from is "2026-01-02 03:04", valid is a time with its zone',
    ],
  ])("%j say what is wrong", async (args, message) => {
    const { code, stderr } = await engage(...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
  });

  test.each([[["reasons", "letters"]], [["reasons"]]])("%j gets the kinds", async (args) => {
    const { code, stderr } = await engage(...args);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(", valid are webhook, click, parser, record\n"),
    });
  });
});
