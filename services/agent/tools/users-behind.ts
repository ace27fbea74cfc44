import type { JsonObject } from "@bufbuild/protobuf";
import { z } from "zod";
import type { User } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { cursorMark } from "../output.ts";
import { cursor, placeOf, projectOf } from "../project.ts";
import { factsOf, refuseUnknownNames } from "../query/facts.ts";
import { sliceFields, sliceQuery } from "../query/slice.ts";
import { defineTool, type Tool, ToolError } from "../tool.ts";

const name = "users_behind";

/** Creates the tool that lists the users behind one number. */
export function createUsersBehind(): Tool {
  return defineTool({
    name,
    title: "Users behind a number",
    description: "Lists the users behind one number of query: those of one metric, time and group.",
    input: z.strictObject({
      ...sliceFields,
      columns: z.array(z.string()).max(50).default([]).describe("User properties to show besides the ids."),
      cursor,
    }),
    async run({ cursor: given, columns, ...slice }, calls) {
      const mark = cursorMark(name, { columns, ...slice });
      const place = placeOf(given, mark);
      const project = await projectOf(calls, slice.query.project_id);
      const { data } = await calls.analysis.listEventUsers({ query: sliceQuery(slice, project) });
      if (data === undefined) throw new ToolError("the query has no result");
      refuseUnknownNames(data.info?.warnings ?? []);
      const rows = data.datalist.slice(place.skip).map((user) => rowOf(user, columns));
      return {
        head: {
          project_id: Number(project),
          ...factsOf(data.info),
          users: data.datalist.length,
          ...(data.info?.truncated && { truncated: true }),
          columns: ["user_id", "account_id", "distinct_id", ...columns],
        },
        list: { name: "rows", items: rows, place, nextToken: "", mark },
      };
    },
  });
}

function rowOf({ userId, accountId, distinctId, properties }: User, columns: readonly string[]): unknown[] {
  const own: JsonObject = properties ?? {};
  return [userId, accountId ?? null, distinctId ?? null, ...columns.map((column) => own[column] ?? null)];
}
