import { Code, ConnectError } from "@connectrpc/connect";
import { z } from "zod";
import { valueWord } from "../../../base/protobuf/value-words.ts";
import {
  type CatalogProperty,
  PropertyTable,
  PropertyType,
  PropertyTypeSchema,
} from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import type { Calls } from "../calls.ts";
import { cursorMark } from "../output.ts";
import { cursor, placeOf, projectId, projectOf } from "../project.ts";
import { defineTool, type Tool } from "../tool.ts";

const name = "describe";

/** Properties of one output. Each with values takes a pass over the events. */
const pageSize = 20;
const topValues = 5;
/** The time for the values of one property; without them the output is still of use. */
const valuesTimeoutMs = 8_000;

const input = z.strictObject({
  project_id: projectId,
  table: z.enum(["event", "user"]).default("event"),
  event: z.string().optional().describe("Only properties of this event."),
  prefix: z.string().optional().describe("Only names that begin with it."),
  property: z.string().optional().describe("One property, with many of its values."),
  with_values: z.boolean().default(true).describe("Whether to show the most frequent values."),
  cursor,
});

type Input = z.output<typeof input>;

/** Creates the tool that describes the properties of a project. */
export function createDescribe(): Tool {
  return defineTool({
    name,
    title: "Describe properties",
    description:
      "Lists the properties of events or users with types and most frequent values. Use its names and values in query; invented ones are refused.",
    input,
    async run(given, calls) {
      const project = await projectOf(calls, given.project_id);
      return given.property === undefined
        ? listProperties(given, calls, project)
        : listValues(given, calls, project);
    },
  });
}

async function listProperties(given: Input, calls: Calls, project: bigint) {
  const mark = cursorMark(name, given);
  const place = placeOf(given.cursor, mark);
  const { properties, nextPageToken } = await calls.catalog.listProperties({
    ...scopeOf(given, project),
    prefix: given.prefix ?? "",
    pageSize,
    pageToken: place.token,
  });
  const items: object[] = [];
  for (const property of properties.slice(place.skip)) {
    const values = given.with_values ? await valuesOf(property, given, calls, project) : {};
    items.push({ ...shown(property), ...values });
  }
  return {
    head: { project_id: Number(project), table: given.table },
    list: { name: "properties", items, place, nextToken: nextPageToken, mark },
  };
}

function scopeOf({ table, event = "" }: Input, projectId: bigint) {
  return { projectId, table: table === "user" ? PropertyTable.USER : PropertyTable.EVENT, event };
}

function shown({ name: property, type, count, displayName, eventCount }: CatalogProperty): object {
  return {
    property,
    type: valueWord(PropertyTypeSchema, type),
    ...(displayName !== "" && { display_name: displayName }),
    ...(count !== undefined && { count: Number(count) }),
    ...(eventCount > 0 && { events: eventCount }),
  };
}

/** The types whose most frequent values tell what they contain. */
const listedTypes: ReadonlySet<PropertyType> = new Set([
  PropertyType.TEXT,
  PropertyType.NUMBER,
  PropertyType.BOOLEAN,
  PropertyType.LIST,
]);

/** Returns the most frequent values of a property, or why they are missing. */
async function valuesOf(
  property: CatalogProperty,
  given: Input,
  calls: Calls,
  project: bigint,
): Promise<object> {
  if (!listedTypes.has(property.type)) return {};
  const request = { ...scopeOf(given, project), property: property.name, pageSize: topValues };
  try {
    const { values } = await calls.catalog.listPropertyValues(request, { timeoutMs: valuesTimeoutMs });
    return { top_values: values.map(({ value }) => value) };
  } catch (error) {
    if (!(error instanceof ConnectError) || !isTemporary(error)) throw error;
    return { top_values_missing: error.rawMessage };
  }
}

function isTemporary({ code }: ConnectError): boolean {
  return code === Code.DeadlineExceeded || code === Code.ResourceExhausted || code === Code.Unavailable;
}

async function listValues(given: Input, calls: Calls, project: bigint) {
  const mark = cursorMark(name, given);
  const place = placeOf(given.cursor, mark);
  const found = await calls.catalog.listPropertyValues({
    ...scopeOf(given, project),
    property: given.property ?? "",
    prefix: given.prefix ?? "",
    pageSize: 100,
    pageToken: place.token,
  });
  const items = found.values
    .slice(place.skip)
    .map(({ value, count, share }) => ({ value, count: Number(count), share: Number(share.toFixed(4)) }));
  return {
    head: {
      project_id: Number(project),
      property: given.property,
      type: valueWord(PropertyTypeSchema, found.type),
      count: Number(found.count),
      with_value: Number(found.withValue),
    },
    list: { name: "values", items, place, nextToken: found.nextPageToken, mark },
  };
}
