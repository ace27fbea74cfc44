import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { type CatalogServer, keys, openCatalogServer } from "./catalog-server.ts";

let server: CatalogServer;
beforeAll(async () => {
  server = await openCatalogServer();
});
afterAll(() => server[Symbol.asyncDispose]());

describe("callers", () => {
  const denied = { status: 403, body: { message: "the token has no access to project 2" } };

  test.each<[string, Record<string, string>, string, object]>([
    ["a token", { authorization: "Bearer token-one" }, "/1/metrics", { status: 200 }],
    ["a token without access", { authorization: "Bearer token-one" }, "/2/metrics", denied],
    ["a key with a token, which counts", { "x-api-key": keys.all }, "/2/metrics?token=token-one", denied],
    ["a key", { authorization: `Bearer ${keys.all}` }, "/1/metrics", { status: 200 }],
    ["nothing", {}, "/1/metrics", { status: 401, body: { message: "Parameter (token) is empty" } }],
    [
      "an unknown token",
      {},
      "/1/metrics?token=x",
      { status: 403, body: { message: "the token is unknown" } },
    ],
    ["a key for other methods", { authorization: `Bearer ${keys.other}` }, "/1/metrics", { status: 403 }],
    ["a key for other methods as its own header", { "x-api-key": keys.other }, "/1/metrics", { status: 401 }],
  ])("%s", async (_name, headers, path, expected) => {
    expect(await server.get(path, headers)).toMatchObject(expected);
  });

  it("need a key over gRPC, and have the projects of a token", async () => {
    const refused = server.client("grpc", keys.other).listProjects({ token: "token-one" });
    await expect(refused).rejects.toMatchObject({ code: Code.PermissionDenied });
    const { projects } = await server.client("grpc").listProjects({ token: "token-one" });
    expect(projects.map(({ projectId }) => projectId)).toEqual([1n]);
  });

  it("are counted by outcome", () => {
    expect(new Set(server.finished)).toEqual(
      new Set(["catalog embedded ok", "catalog none ok", "catalog none token", "catalog none no_token"]),
    );
  });
});
