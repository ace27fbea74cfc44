import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { beforeEach, describe, expect, test } from "vitest";
import { sha256Hex } from "../../../base/text/digest.ts";
import { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { batchOf } from "../../services/webhook/bodies.ts";
import { folderWith } from "../config/load.ts";
import { type RunResult, runEngage } from "../run-engage.ts";
import { openWebhookServer, type WebhookServer } from "../webhook-server.ts";

let server: WebhookServer;
const engage = (...args: string[]): Promise<RunResult> =>
  runEngage(["webhook", ...args, "--url", server.url], { env: { ENGAGE_CONFIG: "nowhere.yaml" } });

describe("commands that call a running server", () => {
  beforeEach(async () => {
    server = await openWebhookServer();
    await server.send(batchOf(["ann", "gone", "gone\u001b[31m"], "r-1"));
    const client = createClient(WebhookReceiver, createGrpcTransport({ baseUrl: server.url }));
    const { batches } = await client.leaseMessages({ target: "pulled" });
    const dead = { case: "dead" as const, value: { reason: "no such\tplayer" } };
    const results = [2, 3].map((index) => ({ index, outcome: dead }));
    await client.settleMessages({ settlements: [{ leaseToken: batches[0]!.leaseToken, results }] });
  });

  test("stats shows the books and the inbox", async () => {
    const { code, stdout, stderr } = await engage("stats");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      new RegExp(
        [
          "^CHANNEL  TARGET  ACCEPTED  DELIVERED  DEAD  PENDING",
          "demo     pulled         3          0     2        1",
          String.raw`inbox: accepts batches, uses [\d.]+ [KM]iB, [\d.,]+ [KMGT]iB free, oldest pending message from [-\d]+ [:.\d]+` +
            "\n$",
        ].join("\n"),
      ),
    );
    const json = await engage("stats", "--json", "--channel", "other");
    expect(JSON.parse(json.stdout)).toMatchObject({ targets: [], inbox: { writable: true } });
  });

  test("deliveries and dead letters are listed, without what would steer the terminal", async () => {
    const deliveries = await engage("deliveries");
    expect(deliveries.stdout.split("\n").map((line) => line.split(/ {2,}/).slice(1, 6))).toEqual([
      ["CHANNEL", "TARGET", "PUSH ID", "STATE", "ATTEMPTS"],
      ["demo", "pulled", "ann", "leased", "1"],
      ["demo", "pulled", "gone", "dead", "1"],
      ["demo", "pulled", "gone\\u001b[31m", "dead", "1"],
      [],
    ]);
    const letters = await engage("dead-letters", "--channel", "demo", "--limit", "1");
    expect(letters.stdout).toMatch(
      /^DELIVERY .* REASON\n\S+ +demo +pulled +gone\S* +1 +\S+ \S+ +no such player\n$/,
    );
    expect((await engage("deliveries", "--state", "delivered")).stdout).toBe("no deliveries\n");
    expect((await engage("dead-letters", "--push-id", "ann")).stdout).toBe("no dead letters\n");
    expect((await engage("dead-letters", "--request", "r-2")).stdout).toBe("no dead letters\n");
  });

  test("one delivery is shown with its message", async () => {
    const listed = await engage("deliveries", "--json", "--push-id", "ann");
    const { deliveryId } = JSON.parse(listed.stdout);
    const { stdout } = await engage("delivery", deliveryId);
    expect(JSON.parse(stdout)).toMatchObject({ deliveryId, message: { push_id: "ann" } });
    expect(await engage("delivery", "nope")).toEqual({
      code: 1,
      stdout: "",
      stderr: `engage: ${server.url}: delivery_id "nope" is unknown or no longer kept, ListDeliveries lists them\n`,
    });
  });

  test("dead letters are replayed once by a name, and only counted in a dry run", async () => {
    const refused = await engage("replay");
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `engage: ${server.url}: filter is empty, set all to replay every dead letter\n`,
    ]);
    expect((await engage("replay", "--request", "r-2", "--dry-run")).stdout).toBe(
      "0 dead letters would be replayed\n",
    );
    expect((await engage("replay", "--request", "r-1", "--channel", "demo", "--dry-run")).stdout).toBe(
      "2 dead letters would be replayed\n",
    );
    const replay = ["replay", "--push-id", "gone", "--nonce", "monday"];
    expect((await engage(...replay)).stdout).toBe("1 dead letter returned to the pending messages\n");
    expect((await engage(...replay, "--json")).stdout).toBe('{"count":"1","nextPageToken":""}\n');
    expect((await engage("replay", "--all")).stdout).toBe("1 dead letter returned to the pending messages\n");
    const stats = JSON.parse((await engage("stats", "--json")).stdout);
    expect(stats.targets).toMatchObject([{ accepted: "3", dead: "0", pending: "3" }]);
  });
});

describe("callers", () => {
  const key = "engage_key";
  const auth = { keys: [{ name: "operator", sha256: sha256Hex(key) }] };

  test("show their key from a file or the environment", async () => {
    server = await openWebhookServer({}, { settings: { auth } });
    const cwd = folderWith({ "key.txt": `${key}\n` });
    const args = ["webhook", "stats", "--url", server.url];
    const results = [
      await runEngage([...args, "--key-file", "key.txt"], { cwd }),
      await runEngage(args, { cwd, env: { ENGAGE_KEY: key } }),
      await runEngage(args, { cwd, env: { ENGAGE_KEY: "another" } }),
      await runEngage(args, { cwd }),
      await runEngage([...args, "--key-file", "gone.txt"], { cwd }),
    ];
    expect(results.map(({ code }) => code)).toEqual([0, 0, 1, 1, 1]);
    expect(results[3]!.stderr).toMatch(/; use --key-file, ENGAGE_KEY or a profile\n$/);
    expect(results[4]!.stderr).toBe('engage: cannot read the key file "gone.txt": no such file or folder\n');
  });

  test("find the server by its configuration", async () => {
    server = await openWebhookServer();
    const yaml = `listen: ${server.url.replace("http://", "")}\n`;
    const { code, stdout } = await runEngage(["webhook", "stats"], {
      cwd: folderWith({ "engage.yaml": yaml }),
    });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^no messages yet\ninbox: accepts batches, /)]);
  });

  test.each([
    [
      ["stats", "--url", "http://127.0.0.1:1"],
      "engage: http://127.0.0.1:1: connection refused by 127.0.0.1:1: is the server running?\n",
    ],
    [
      ["stats", "--url", "here"],
      'engage: --url is "here", must be a URL such as "http://127.0.0.1:8080", without a user\n',
    ],
  ])("%j is reported in one line", async (args, stderr) => {
    expect(await runEngage(["webhook", ...args])).toEqual({ code: 1, stdout: "", stderr });
  });

  test.each([
    [
      ["deliveries", "--state", "lost"],
      "argument 'lost' is invalid, valid are pending, leased, delivered, dead\n",
    ],
    [["deliveries", "--state", "ded"], "argument 'ded' is invalid, the nearest is dead, valid are pending, "],
    [["deliveries", "--limit", "0"], "must be a whole number, at least 1"],
    [["delivery"], "missing required argument 'id'"],
  ])("%j is a wrong command line", async (args, message) => {
    const { code, stderr } = await runEngage(["webhook", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("migrate", () => {
  test("has nothing to do for a file", async () => {
    expect(await runEngage(["migrate"])).toEqual({
      code: 0,
      stdout: [
        "nothing to do: an inbox in a SQLite file is upgraded when it is opened\n",
        "nothing to do: a channel store in a SQLite file is upgraded when it is opened\n",
      ].join(""),
      stderr: "",
    });
  });

  test("says in one line when the database is unavailable", async () => {
    const inbox = { driver: "postgres", url: "postgresql://someone:secret-word@127.0.0.1:1/engage" };
    const settings = {
      listen: "127.0.0.1:0",
      log: { level: "error" },
      webhook: { inbox, targets: { log: { kind: "log" } } },
    };
    const cwd = folderWith({ "engage.yaml": JSON.stringify(settings) });
    expect(await runEngage(["migrate"], { cwd })).toEqual({
      code: 1,
      stdout: "",
      stderr: "engage: inbox database: connection refused by 127.0.0.1:1\n",
    });
  });
});
