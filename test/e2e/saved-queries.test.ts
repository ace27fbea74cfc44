import { Code, ConnectError, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../base/text/digest.ts";
import { loadConfig } from "../../cmd/config/config.ts";
import { startServer } from "../../cmd/serve/server.ts";
import { SavedQueries, type SavedQuery } from "../../gen/engage/analysis/v1/saved_queries_pb.ts";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { folderWith } from "../cmd/config/load.ts";
import { openForAll } from "../open-for-all.ts";

const settings = {
  listen: "127.0.0.1:0",
  log: { level: "silent" },
  projects: [
    { id: 1, appids: ["a"] },
    { id: 2, appids: ["b"] },
  ],
  analysis: {
    tokens: [
      { name: "one", token: "token-one", projects: [1] },
      { name: "two", token: "token-two", projects: [2] },
    ],
  },
  auth: {
    mode: "keys",
    keys: [
      { name: "write", sha256: sha256Hex("key-write"), methods: ["*"] },
      { name: "read", sha256: sha256Hex("key-read"), methods: ["*"], access: "read" },
    ],
  },
};

const server = openForAll(async (onEnd) => {
  const cwd = folderWith({ "engage.yaml": JSON.stringify(settings) }, onEnd);
  let running = await startServer(loadConfig({ env: {}, cwd }).config);
  onEnd(() => running.stop());
  return {
    url: () => running.address.url,
    async restart() {
      await running.stop();
      running = await startServer(loadConfig({ env: {}, cwd }).config);
    },
  };
});

const withKey =
  (key: string): Interceptor =>
  (next) =>
  (request) => {
    request.header.set("x-api-key", key);
    return next(request);
  };

type Open = (baseUrl: string, interceptors: Interceptor[]) => Transport;

const grpc: Open = (baseUrl, interceptors) => createGrpcTransport({ baseUrl, interceptors });
const kinds: readonly (readonly [string, Open])[] = [
  ["gRPC", grpc],
  [
    "gRPC-Web",
    (baseUrl, interceptors) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1", interceptors }),
  ],
  [
    "Connect",
    (baseUrl, interceptors) => createConnectTransport({ baseUrl, httpVersion: "1.1", interceptors }),
  ],
];

const clientOf = (open: Open = grpc, key = "key-write") =>
  createClient(SavedQueries, open(server().url(), [withKey(key)]));

/** A request with members in an unusual order, and a number that no double holds. */
function requestOf(
  projectId = 1,
  filts = '[{"columnName":"n","tableType":"event","comparator":"equal","ftv":[9007199254740993]}]',
) {
  return `{ "events": [{"type":"normal","eventName":"login","analysis":"TOTAL_TIMES","filts":${filts}}],
  "eventView": {"startTime":"2026-11-01","endTime":"2026-11-02","timeParticleSize":"day"}, "projectId": ${projectId} }`;
}

let names = 0;
const newName = (): string => `query ${++names}`;

type Changes = Partial<
  Pick<SavedQuery, "queryId" | "projectId" | "name" | "description" | "requestJson" | "etag">
>;

async function save(changes: Changes = {}, projectId = 1n): Promise<SavedQuery> {
  const savedQuery = { name: newName(), requestJson: requestOf(Number(projectId)), ...changes };
  return (await clientOf().createSavedQuery({ projectId, savedQuery })).savedQuery!;
}

async function faultOf(call: Promise<unknown>): Promise<ConnectError> {
  return ConnectError.from(await call.then(() => undefined).catch((error: unknown) => error));
}

describe.each(kinds)("over %s", (_name, open) => {
  it("a query is saved, found, listed, changed and deleted", async () => {
    const client = clientOf(open);
    const name = newName();
    const given = { name, description: "What it is for.", requestJson: requestOf() };
    const { savedQuery: saved } = await client.createSavedQuery({ projectId: 1n, savedQuery: given });
    expect(saved).toMatchObject({ ...given, projectId: 1n, queryId: expect.stringMatching(/^q\d+$/) });
    const at = { projectId: 1n, queryId: saved!.queryId };
    expect((await client.getSavedQuery(at)).savedQuery).toEqual(saved);
    const { savedQueries } = await client.listSavedQueries({ projectId: 1n });
    expect(savedQueries).toContainEqual({ ...saved, requestJson: "" });
    const changed = { ...saved!, name: `${name} again` };
    const { savedQuery: updated } = await client.updateSavedQuery({ ...at, savedQuery: changed });
    expect(updated).toMatchObject({ name: `${name} again`, createTime: saved!.createTime });
    expect(updated!.etag).not.toBe(saved!.etag);
    expect(await faultOf(client.updateSavedQuery({ ...at, savedQuery: changed }))).toMatchObject({
      code: Code.Aborted,
    });
    expect(await faultOf(client.deleteSavedQuery({ ...at, etag: saved!.etag }))).toMatchObject({
      code: Code.Aborted,
      rawMessage: `etag is "${saved!.etag}", which is not the current one, read the saved query again`,
    });
    await client.deleteSavedQuery({ ...at, etag: updated!.etag });
    expect(await faultOf(client.getSavedQuery(at))).toMatchObject({
      code: Code.NotFound,
      rawMessage: `project 1 has no saved query "${saved!.queryId}", ListSavedQueries lists them`,
    });
  });
});

describe("over REST", () => {
  const call = async (method: string, path: string, body?: object, key = "key-write") => {
    const response = await fetch(`${server().url()}/v1/projects${path}`, {
      method,
      headers: { "content-type": "application/json", ...(key !== "" && { "x-api-key": key }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };

  it("a query is saved, found, listed, changed and deleted", async () => {
    const name = newName();
    const created = await call("POST", "/1/queries", { name, requestJson: requestOf() });
    expect(created).toMatchObject({ status: 200, json: { savedQuery: { name, requestJson: requestOf() } } });
    const { queryId, etag } = created.json["savedQuery"] as { queryId: string; etag: string };
    expect((await call("GET", `/1/queries/${queryId}`)).json).toEqual(created.json);
    const listed = await call("GET", "/1/queries?pageSize=1000");
    expect(listed.json["savedQueries"]).toContainEqual(expect.objectContaining({ queryId, name }));
    const update = { name, description: "new", requestJson: requestOf(), etag };
    expect(await call("PUT", `/1/queries/${queryId}`, update)).toMatchObject({ status: 200 });
    expect(await call("PUT", `/1/queries/${queryId}`, update)).toMatchObject({ status: 409 });
    expect(await call("DELETE", `/1/queries/${queryId}?etag=${etag}`)).toMatchObject({ status: 409 });
    expect(await call("DELETE", `/1/queries/${queryId}`)).toEqual({ status: 200, json: {} });
    expect(await call("GET", `/1/queries/${queryId}`)).toMatchObject({ status: 404 });
  });

  it("a query token reads its projects, and changes nothing", async () => {
    const { queryId } = await save();
    expect(await call("GET", `/1/queries/${queryId}?token=token-one`, undefined, "")).toMatchObject({
      status: 200,
      json: { savedQuery: { queryId } },
    });
    expect(await call("GET", "/1/queries?token=token-two", undefined, "")).toMatchObject({ status: 403 });
    expect(await call("GET", "/1/queries", undefined, "")).toMatchObject({ status: 401 });
    const body = { name: newName(), requestJson: requestOf() };
    expect(await call("POST", "/1/queries?token=token-one", body, "")).toMatchObject({ status: 401 });
    expect(await call("DELETE", `/1/queries/${queryId}?token=token-one`, undefined, "")).toMatchObject({
      status: 401,
    });
  });
});

describe("callers", () => {
  it("with a key that may only read cannot change anything", async () => {
    const { queryId, name } = await save();
    const client = clientOf(grpc, "key-read");
    const at = { projectId: 1n, queryId };
    expect((await client.getSavedQuery(at)).savedQuery?.name).toBe(name);
    const savedQuery = { name: newName(), requestJson: requestOf() };
    const calls = [
      client.createSavedQuery({ projectId: 1n, savedQuery }),
      client.updateSavedQuery({ ...at, savedQuery }),
      client.deleteSavedQuery(at),
    ];
    const faults = await Promise.all(calls.map(faultOf));
    expect(faults.map(({ code }) => code)).toEqual(calls.map(() => Code.PermissionDenied));
  });

  it("with a token change only its projects", async () => {
    const { queryId } = await save({}, 2n);
    const at = { projectId: 2n, queryId };
    const client = clientOf();
    expect(await faultOf(client.deleteSavedQuery({ ...at, token: "token-one" }))).toMatchObject({
      code: Code.PermissionDenied,
      rawMessage: "the token has no access to project 2",
    });
    await client.deleteSavedQuery({ ...at, token: "token-two" });
  });

  it("with a token see, change and delete nothing of another project", async () => {
    const saved = await save({}, 2n);
    const { queryId } = saved;
    const client = clientOf();
    const at = { projectId: 2n, queryId, token: "token-one" };
    const savedQuery = { name: newName(), requestJson: requestOf(2) };
    const calls = [
      client.listSavedQueries({ projectId: 2n, token: "token-one" }),
      client.getSavedQuery(at),
      client.createSavedQuery({ projectId: 2n, token: "token-one", savedQuery }),
      client.updateSavedQuery({ ...at, savedQuery }),
      client.deleteSavedQuery(at),
    ];
    const faults = await Promise.all(calls.map(faultOf));
    expect(faults.map(({ code }) => code)).toEqual(calls.map(() => Code.PermissionDenied));
    // Neither does the id of that query within the project of the token.
    const own = { projectId: 1n, queryId, token: "token-one" };
    const ofOwn = [
      client.getSavedQuery(own),
      client.updateSavedQuery({ ...own, savedQuery: { name: newName(), requestJson: requestOf() } }),
      client.deleteSavedQuery(own),
    ];
    expect((await Promise.all(ofOwn.map(faultOf))).map(({ code }) => code)).toEqual(
      ofOwn.map(() => Code.NotFound),
    );
    const { savedQueries } = await client.listSavedQueries({
      projectId: 1n,
      pageSize: 1_000,
      token: "token-one",
    });
    expect(savedQueries.map(({ queryId: id }) => id)).not.toContain(queryId);
    expect((await client.getSavedQuery({ projectId: 2n, queryId })).savedQuery).toEqual(saved);
  });

  it("find a query in its project only", async () => {
    const { queryId } = await save({}, 2n);
    expect(await faultOf(clientOf().getSavedQuery({ projectId: 1n, queryId }))).toMatchObject({
      code: Code.NotFound,
    });
    expect(await faultOf(clientOf().deleteSavedQuery({ projectId: 1n, queryId }))).toMatchObject({
      code: Code.NotFound,
    });
  });
});

describe("a list", () => {
  it("has pages by name", async () => {
    const prefix = newName();
    for (const letter of ["c", "a", "b"]) await save({ name: `${prefix} ${letter}` }, 2n);
    const client = clientOf();
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await client.listSavedQueries({ projectId: 2n, pageSize: 2, pageToken });
      seen.push(...page.savedQueries.map(({ name }) => name));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(seen.filter((name) => name.startsWith(prefix))).toEqual(
      ["a", "b", "c"].map((one) => `${prefix} ${one}`),
    );
    const { nextPageToken: foreign } = await client.listSavedQueries({ projectId: 2n, pageSize: 1 });
    expect(await faultOf(client.listSavedQueries({ projectId: 1n, pageToken: foreign }))).toMatchObject({
      rawMessage: "page_token is not one of this list with this filter, begin again without it",
    });
  });
});

describe("a saved query", () => {
  it("outlives a restart", async () => {
    const saved = await save({ description: "kept" });
    await server().restart();
    const { savedQuery } = await clientOf().getSavedQuery({ projectId: 1n, queryId: saved.queryId });
    expect(savedQuery).toEqual(saved);
  });

  it("has a name of its own", async () => {
    const { name } = await save();
    const { queryId } = await save();
    const message = `saved_query.name is "${name}", which is the name of another saved query`;
    expect(await faultOf(save({ name }))).toMatchObject({ code: Code.AlreadyExists, rawMessage: message });
    const change = { projectId: 1n, queryId, savedQuery: { name, requestJson: requestOf() } };
    expect(await faultOf(clientOf().updateSavedQuery(change))).toMatchObject({ code: Code.AlreadyExists });
  });

  it.each<[string, Changes, RegExp]>([
    ["no name", { name: " " }, /^saved_query\.name is required$/],
    [
      "a long name",
      { name: "n".repeat(101) },
      /^saved_query\.name has 101 characters, at most 100 are valid$/,
    ],
    ["a name of two lines", { name: "a\nb" }, /^saved_query\.name contains a control character/],
    [
      "a long description",
      { description: "d".repeat(1_001) },
      /^saved_query\.description has 1001 characters/,
    ],
    [
      "another project",
      { projectId: 2n },
      /^saved_query\.project_id is 2, which is not the project of the call, 1$/,
    ],
    ["an id", { queryId: "q1" }, /^saved_query\.query_id is "q1", which the service assigns/],
    ["an etag", { etag: "v1" }, /^saved_query\.etag is "v1", which the service assigns/],
    ["no request", { requestJson: "" }, /^saved_query\.request_json is required$/],
    ["a request that is not JSON", { requestJson: "{" }, /^saved_query\.request_json is not JSON: /],
    ["a list", { requestJson: "[]" }, /^saved_query\.request_json a list is not an object$/],
    [
      "a long request",
      { requestJson: `{"x":"${"y".repeat(65_536)}"}` },
      /^saved_query\.request_json has 65544 bytes, at most 65536 are valid$/,
    ],
    [
      "a deep request",
      { requestJson: "[".repeat(3_000) + "]".repeat(3_000) },
      /^saved_query\.request_json .*deep/,
    ],
    [
      "a request without events",
      { requestJson: '{"projectId":1,"eventView":{"startTime":"2026-11-01","endTime":"2026-11-02"}}' },
      /saved_query\.request_json\.events is required/,
    ],
    [
      "a request of another project",
      { requestJson: requestOf(2) },
      /^saved_query\.request_json\.projectId is 2, which is not the project of the call, 1$/,
    ],
    [
      "a request with a word that does not exist",
      { requestJson: requestOf().replace("TOTAL_TIMES", "TOTAL_TIME") },
      /^saved_query\.request_json\.events\[0\]\.analysis .*TOTAL_TIME/,
    ],
    [
      "a request whose days are wrong",
      { requestJson: requestOf().replace("2026-11-01", "2026-12-01") },
      /^saved_query\.request_json\.eventView/,
    ],
  ])("with %s is refused by name", async (_name, changes, message) => {
    const fault = await faultOf(save(changes));
    expect(fault.rawMessage).toMatch(message);
    expect(fault.code).toBe(Code.InvalidArgument);
    const [details] = fault.findDetails(BadRequestSchema);
    expect(details?.fieldViolations[0]?.field).toMatch(/^saved_query/);
  });

  it("is checked in an update too", async () => {
    const { queryId } = await save();
    const change = { projectId: 1n, queryId, savedQuery: { name: newName(), requestJson: "{}" } };
    expect(await faultOf(clientOf().updateSavedQuery(change))).toMatchObject({ code: Code.InvalidArgument });
    const other = { ...change, savedQuery: { queryId: "q99999", name: "a", requestJson: requestOf() } };
    expect((await faultOf(clientOf().updateSavedQuery(other))).rawMessage).toMatch(
      /^saved_query\.query_id is "q99999", valid is "q\d+" or none$/,
    );
    expect(await faultOf(clientOf().updateSavedQuery({ projectId: 1n, queryId }))).toMatchObject({
      rawMessage: "saved_query is required",
    });
  });
});
