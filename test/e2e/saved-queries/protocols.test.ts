import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { faultOf, kinds, newName, openSavedQueries, requestOf } from "./server.ts";

const { server, clientOf, save } = openSavedQueries();

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
