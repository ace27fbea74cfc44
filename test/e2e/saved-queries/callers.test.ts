import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { faultOf, grpc, newName, openSavedQueries, requestOf } from "./server.ts";

const { clientOf, save } = openSavedQueries();

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
