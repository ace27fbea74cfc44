import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TableType } from "../../../../gen/engage/analysis/v1/column_pb.ts";
import { Comparator, FilterSchema, Relation } from "../../../../gen/engage/analysis/v1/filter_pb.ts";
import { createUserPort } from "../../../../services/analysis/embedded/select-users.ts";
import { collectUsers } from "../../../conformance/events/collect-users.ts";
import {
  noonMs,
  noSignal,
  type OpenedStore,
  openStore,
  properties,
  userOf,
} from "../../../conformance/events/world.ts";
import { createDuckDbWorld } from "../../../store/events/duckdb/duckdb-world.ts";
import { projectOf } from "../describe/described.ts";

let opened: OpenedStore;
beforeAll(async () => {
  opened = await openStore(createDuckDbWorld);
  await opened.load({ users: [userOf("set", { u: 1, a: "ada", p: { [properties.nick.number]: "Ada" } })] });
});
afterAll(() => opened[Symbol.asyncDispose]());

async function idsOf(pattern: string) {
  const port = createUserPort({ store: opened.store, project: projectOf(), now: () => noonMs });
  const like = create(FilterSchema, {
    columnName: "nick",
    tableType: TableType.USER,
    comparator: Comparator.REGEX_MATCH,
    ftv: [pattern],
  });
  const found = await port.select({ filts: [like], relation: Relation.AND }, ["#account_id"], noSignal());
  return (await collectUsers(found!)).map(({ accountId }) => accountId);
}

it("finds users by a pattern", async () => {
  expect([await idsOf("^A"), await idsOf("^a")]).toEqual([["ada"], []]);
});

it("names the pattern that the engine has no room for", async () => {
  await expect(idsOf("\\pL{1000}")).rejects.toMatchObject({
    returnCode: -1001,
    violations: [
      { field: "filts[0].ftv[0]", description: expect.stringContaining("too large for the engine") },
    ],
  });
});
