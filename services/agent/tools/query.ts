import { cursorMark } from "../output.ts";
import { placeOf, projectOf } from "../project.ts";
import { queryArguments } from "../query/arguments.ts";
import { factsOf, refuseUnknownNames } from "../query/facts.ts";
import { metricsOf, viewOf } from "../query/messages.ts";
import { tableOf } from "../query/table.ts";
import { defineTool, type Tool, ToolError } from "../tool.ts";

const name = "query";

/** Creates the tool that computes metrics. */
export function createQuery(): Tool {
  return defineTool({
    name,
    title: "Query events",
    description:
      "Computes metrics of events by time and groups. Needs recent_day or start_time and end_time. Returns columns and rows, with the range and zone that were used, the number of groups left out, and warnings: report them with the numbers.",
    input: queryArguments,
    async run({ cursor: given, ...query }, calls) {
      const mark = cursorMark(name, query);
      const place = placeOf(given, mark);
      const project = await projectOf(calls, query.project_id);
      const { data } = await calls.analysis.analyzeEvents({
        query: {
          projectId: project,
          eventView: viewOf(query),
          events: metricsOf(query),
          limit: query.limit,
          ...(query.zone_offset !== undefined && { zoneOffset: query.zone_offset }),
        },
      });
      if (data === undefined) throw new ToolError("the query has no result");
      refuseUnknownNames(data.info?.warnings ?? []);
      const { columns, rows } = tableOf(
        data,
        query.group_by.map(({ column }) => column),
      );
      return {
        head: {
          project_id: Number(project),
          ...factsOf(data.info),
          groups: data.unionGroups.length,
          groups_left_out: data.unionGroupNum - data.unionGroups.length,
          row_count: rows.length,
          columns,
        },
        list: { name: "rows", items: rows.slice(place.skip), place, nextToken: "", mark },
      };
    },
  });
}
