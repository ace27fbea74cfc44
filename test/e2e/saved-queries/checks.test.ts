import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { BadRequestSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { type Changes, faultOf, newName, openSavedQueries, requestOf } from "./server.ts";

const { server, clientOf, save } = openSavedQueries();

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
