import { ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { readCase } from "../../../proto/cases.ts";
import { openProxy } from "../proxy-server.ts";
import { answerText, type Behaviour, cutOff, openFakePlatform, stall } from "./fake-platform.ts";
import {
  collect,
  downloadQuery,
  failure,
  goodAnswers,
  openEngine,
  operations,
  query,
  token,
  userDownloadQuery,
  userQuery,
} from "./platform-engine.ts";

const mebibyte = 1_048_576;
const ownToken = "token-root";
const restPaths = {
  analyze: "/open/event-analyze",
  listUsers: "/open/event-user-list",
  download: "/open/streaming-download/event-analyze",
  downloadUsers: "/open/streaming-download/event-user-list",
};
/** A body that all four operations accept, with a member that only the platform knows. */
const body = JSON.stringify({
  projectId: 2,
  eventView: { recentDay: "1-7", timeParticleSize: "day", firstDayOfWeek: 1 },
  events: [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES" }],
  sliceGroupVal: ["总体"],
  eventIndex: 0,
  selectedColumns: ["#account_id"],
});

/** Opens the service with an engine and a platform. */
async function open(behaviour: Behaviour, config: object = {}) {
  const platform = await openFakePlatform(behaviour);
  const engine = openEngine(platform.url, config);
  const proxy = await openProxy({ engine });
  const post = (path: string, text: string, signal?: AbortSignal) =>
    fetch(`${proxy.url}${path}?token=${ownToken}&x=1`, {
      method: "POST",
      body: text,
      headers: { "content-type": "application/json" },
      ...(signal && { signal }),
    });
  return {
    platform,
    proxy,
    post,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await platform[Symbol.asyncDispose]();
    },
  };
}

describe("over REST", () => {
  test.each(operations)("%s: body and answer pass untouched, the tokens are exchanged", async (operation) => {
    const { type, body: text } = goodAnswers[operation];
    await using stack = await open(answerText(200, type, text));
    const response = await stack.post(restPaths[operation], body);
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      200,
      type,
      text,
    ]);
    const [seen] = stack.platform.requests;
    expect(seen?.body.toString()).toBe(body);
    expect(String(seen?.search)).toBe(`x=1&${new URLSearchParams({ token })}`);
  });

  test.each(["analyze", "listUsers"] as const)(
    "%s: an answer's byte order mark is passed over",
    async (operation) => {
      const { type, body: text } = goodAnswers[operation];
      await using stack = await open(answerText(200, type, `\ufeff${text}`));
      const response = await stack.post(restPaths[operation], body);
      expect(Buffer.from(await response.arrayBuffer()).toString()).toBe(text);
    },
  );

  test.each(operations)("%s: a refusal of the platform is one of ours", async (operation) => {
    const refusal = { return_code: -2001, return_message: "no such event" };
    await using stack = await open(answerText(200, "application/json", JSON.stringify(refusal)));
    const response = await stack.post(restPaths[operation], body);
    expect([response.status, await response.json()]).toEqual([200, refusal]);
  });

  test.each(["download", "downloadUsers"] as const)(
    "%s: a cut of the platform's file is one of ours",
    async (one) => {
      await using stack = await open(cutOff("text/csv", goodAnswers[one].body, "chunked"));
      const response = await stack.post(restPaths[one], body);
      expect(response.status).toBe(200);
      expect(await failure(response.text())).toBeInstanceOf(TypeError);
    },
  );

  test("a caller who leaves in the middle of a file is seen by the platform", async () => {
    await using stack = await open(stall("text/csv", goodAnswers.download.body));
    const controller = new AbortController();
    const response = await stack.post(restPaths.download, body, controller.signal);
    await response.body?.getReader().read();
    controller.abort();
    await stack.platform.abandoned;
  });

  test("a caller who reads slowly holds the platform back", async () => {
    const progress = { sent: 0 };
    const piece = Buffer.alloc(65_536, "x");
    await using stack = await open(async ({ response }) => {
      response.writeHead(200, { "content-type": "text/csv" });
      while (progress.sent < 60 * mebibyte) {
        progress.sent += piece.length;
        await new Promise((resolve) => response.write(piece, resolve));
      }
      response.end();
    });
    const response = await stack.post(restPaths.download, body);
    let received = 0;
    let ahead = 0;
    for await (const bytes of response.body!) {
      received += bytes.length;
      ahead = Math.max(ahead, progress.sent - received);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(received).toBe(progress.sent);
    expect(ahead / mebibyte).toBeLessThan(25);
  });

  test("a query of another kind passes through, or is not there (a005)", async () => {
    const other = JSON.stringify({
      ...(readCase("a005_distribution_customized_starttonow.json") as object),
      projectId: 2,
    });
    const answer = '{"return_code":0,"data":{"distribution":[1.0]}}';
    await using stack = await open(answerText(200, "application/json", answer), {
      paths: ["distribution-analyze"],
    });
    const response = await stack.post("/open/distribution-analyze", other);
    expect([response.status, await response.text()]).toEqual([200, answer]);
    expect(stack.platform.requests[0]?.body.toString()).toBe(other);
    const absent = await stack.post("/open/retention-analyze", other);
    expect([absent.status, await absent.json()]).toEqual([
      404,
      {
        return_code: -1001,
        return_message: expect.stringMatching(
          /^nothing is served at "\/open\/retention-analyze", valid are \/open\/event-analyze, /,
        ),
      },
    ]);
  });
});

describe("over gRPC", () => {
  const common = { projectId: 2n };

  test("answers are typed", async () => {
    await using stack = await open(answerText(200, "application/json", goodAnswers.analyze.body));
    const { data } = await stack.proxy.client.analyzeEvents({
      token: ownToken,
      query: { ...query, ...common },
    });
    expect(data?.y[0]).toMatchObject({ eventUuid: "u-1", entries: [{ values: { numbers: [7] } }] });
  });

  test("users are typed, and downloads are rows", async () => {
    await using stack = await open(answerText(200, "application/json", goodAnswers.listUsers.body));
    const users = await stack.proxy.client.listEventUsers({
      token: ownToken,
      query: { ...userQuery, ...common },
    });
    expect(users.data?.datalist).toMatchObject([{ userId: "1" }]);
    stack.platform.behave(answerText(200, "text/csv", goodAnswers.download.body));
    const request = { token: ownToken, query: { ...downloadQuery, ...common } };
    const pieces = await collect(stack.proxy.client.downloadEvents(request));
    expect(pieces.map(({ content }) => content.case)).toEqual(["header", "rows"]);
    stack.platform.behave(answerText(200, "text/csv", goodAnswers.downloadUsers.body));
    const usersRequest = { token: ownToken, query: { ...userDownloadQuery, ...common } };
    const rows = await collect(stack.proxy.client.downloadEventUsers(usersRequest));
    expect(rows.map(({ content }) => content.case)).toEqual(["header", "rows"]);
  });

  test("faults are statuses with the return code", async () => {
    await using stack = await open(answerText(502, "text/html", `<html>${token}`));
    const error = await failure(
      stack.proxy.client.analyzeEvents({ token: ownToken, query: { ...query, ...common } }),
    );
    expect(error).toBeInstanceOf(ConnectError);
    expect((error as ConnectError).message).toBe(
      '[unavailable] the platform sent an invalid response: HTTP 502 text/html, "<html>***"',
    );
    expect(stack.proxy.logged()).not.toContain(token);
  });
});
