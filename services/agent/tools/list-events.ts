import { z } from "zod";
import { EventOrder } from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import { cursorMark } from "../output.ts";
import { cursor, placeOf, projectId, projectOf } from "../project.ts";
import { defineTool, type Tool } from "../tool.ts";

const name = "list_events";

/** Creates the tool that lists the events of a project. */
export function createListEvents(): Tool {
  return defineTool({
    name,
    title: "List events",
    description: "Lists the events of a project with their numbers and days. Call it before query.",
    input: z.strictObject({
      project_id: projectId,
      prefix: z.string().optional().describe("Only names that begin with it."),
      order: z.enum(["count", "name"]).default("count"),
      cursor,
    }),
    async run(input, calls) {
      const mark = cursorMark(name, input);
      const place = placeOf(input.cursor, mark);
      const project = await projectOf(calls, input.project_id);
      const { events, nextPageToken } = await calls.catalog.listEvents({
        projectId: project,
        prefix: input.prefix ?? "",
        order: input.order === "count" ? EventOrder.COUNT : EventOrder.NAME,
        pageSize: 500,
        pageToken: place.token,
      });
      const items = events.slice(place.skip).map((event) => ({
        event: event.name,
        count: Number(event.count),
        first_day: event.firstDay,
        last_day: event.lastDay,
        properties: event.propertyCount,
      }));
      return {
        head: { project_id: Number(project) },
        list: { name: "events", items, place, nextToken: nextPageToken, mark },
      };
    },
  });
}
