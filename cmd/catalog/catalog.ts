import type { DescEnum } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { valueWord } from "../../base/protobuf/value-words.ts";
import { bare, listKnown } from "../../base/text/known-names.ts";
import {
  Catalog,
  type CatalogProperty,
  CatalogPropertySchema,
  type Event,
  EventOrder,
  type EventProperty,
  EventPropertySchema,
  EventSchema,
  PropertyKindSchema,
  PropertyTable,
  PropertyTypeSchema,
  type PropertyValue,
  PropertyValueSchema,
} from "../../gen/engage/analysis/v1/catalog_pb.ts";
import { chooseServer } from "../client/choose-server.ts";
import { collectRows } from "../client/collect-rows.ts";
import { type ServerOptions, withClient } from "../client/rpc-client.ts";
import type { ConfigOptions } from "../config/config.ts";
import { type MessageOutput, writeRows } from "../terminal/messages.ts";
import type { Column } from "../terminal/table.ts";
import { UsageError, UserError } from "../terminal/user-error.ts";

export interface CatalogOptions extends ServerOptions {
  /** Default: the only project. */
  readonly project?: number;
  /** The maximum number of rows. */
  readonly limit: number;
  /** Prints one JSON object per line instead of a table. */
  readonly json?: boolean;
}

/** Where tables and notes are printed. */
export type CatalogStreams = Pick<MessageOutput, "stdout" | "stderr">;

export interface EventsOptions extends CatalogOptions {
  readonly prefix?: string;
  readonly order: "name" | "count";
}

export interface PropertiesOptions extends CatalogOptions {
  readonly table: "event" | "user";
  readonly event?: string;
  readonly prefix?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Prints the events of a project, or the properties of one. @throws UserError */
export async function showEvents(
  options: ConfigOptions,
  name: string | undefined,
  { prefix = "", order, ...given }: EventsOptions,
  streams: CatalogStreams,
): Promise<void> {
  if (name !== undefined && prefix !== "")
    throw new UsageError("--prefix lists events, give no name with it");
  const output = { ...streams, json: given.json };
  await withCatalog(options, given, async (catalog, project) => {
    if (name !== undefined) {
      const { event } = await catalog.getEvent({ ...project, event: name });
      const { properties } = event!;
      const found = { rows: properties.slice(0, given.limit), hasMore: properties.length > given.limit };
      return writeRows(output, ofEvent, found);
    }
    const events = await collectRows(given.limit, given.json ? 100 : 1_000, async (page) => {
      const by = order === "count" ? EventOrder.COUNT : EventOrder.NAME;
      const request = { ...project, prefix, order: by, withProperties: given.json === true, ...page };
      const { events: rows, nextPageToken } = await catalog.listEvents(request);
      return { rows, nextPageToken };
    });
    writeRows(output, { schema: EventSchema, columns: eventColumns, none: "no events" }, events);
  });
}

/** Prints the properties of a project, or the values of one. @throws UserError */
export async function showProperties(
  options: ConfigOptions,
  name: string | undefined,
  { table, event = "", prefix = "", from = "", to = "", ...given }: PropertiesOptions,
  streams: CatalogStreams,
): Promise<void> {
  if (name === undefined && (from !== "" || to !== ""))
    throw new UsageError("--from and --to are for values, give the name of a property with them");
  const output = { ...streams, json: given.json };
  const owner = table === "user" ? PropertyTable.USER : PropertyTable.EVENT;
  await withCatalog(options, given, async (catalog, project) => {
    const filter = { ...project, table: owner, event, prefix };
    if (name !== undefined) {
      const request = { ...filter, property: name, fromDay: from, toDay: to };
      const values = await collectRows(given.limit, 100, async (page) => {
        const { values: rows, nextPageToken } = await catalog.listPropertyValues({ ...request, ...page });
        return { rows, nextPageToken };
      });
      return writeRows(
        output,
        { schema: PropertyValueSchema, columns: valueColumns, none: "no values" },
        values,
      );
    }
    const properties = await collectRows(given.limit, 1_000, async (page) => {
      const { properties: rows, nextPageToken } = await catalog.listProperties({ ...filter, ...page });
      return { rows, nextPageToken };
    });
    writeRows(
      output,
      { schema: CatalogPropertySchema, columns: propertyColumns, none: "no properties" },
      properties,
    );
  });
}

interface ProjectFields {
  readonly token: string;
  readonly projectId: bigint;
}

async function withCatalog(
  options: ConfigOptions,
  given: CatalogOptions,
  work: (catalog: Client<typeof Catalog>, project: ProjectFields) => Promise<void>,
): Promise<void> {
  await withClient(Catalog, options, given, async (catalog) => {
    const token = chooseServer(options, given).token ?? "";
    const projectId = given.project === undefined ? await onlyProject(catalog, token) : BigInt(given.project);
    await work(catalog, { token, projectId });
  });
}

/** @throws UserError when there are several projects or none */
async function onlyProject(catalog: Client<typeof Catalog>, token: string): Promise<bigint> {
  const { projects } = await catalog.listProjects({ token });
  const [first] = projects;
  if (first !== undefined && projects.length === 1) return first.projectId;
  const ids = projects.map(({ projectId }) => String(projectId));
  throw new UserError(
    `there are ${projects.length} projects, give --project, ${listKnown(ids, { write: bare })}`,
  );
}

/** The words of an enum, such as `object group`. */
function wordOf(desc: DescEnum, value: number): string {
  return valueWord(desc, value)?.replaceAll("_", " ") ?? "";
}

const eventColumns: readonly Column<Event>[] = [
  { head: "EVENT", of: ({ name }) => name },
  { head: "COUNT", of: ({ count }) => count },
  { head: "FIRST DAY", of: ({ firstDay }) => firstDay },
  { head: "LAST DAY", of: ({ lastDay }) => lastDay },
  { head: "PROPERTIES", of: ({ propertyCount }) => propertyCount },
];

const eventPropertyColumns: readonly Column<EventProperty>[] = [
  { head: "PROPERTY", of: ({ name }) => name },
  { head: "TYPE", of: ({ type }) => wordOf(PropertyTypeSchema, type) },
  { head: "COUNT", of: ({ count }) => count },
  { head: "DISPLAY NAME", of: ({ displayName }) => displayName },
];

const ofEvent = { schema: EventPropertySchema, columns: eventPropertyColumns, none: "no properties" };

const propertyColumns: readonly Column<CatalogProperty>[] = [
  { head: "PROPERTY", of: ({ name }) => name },
  { head: "TYPE", of: ({ type }) => wordOf(PropertyTypeSchema, type) },
  { head: "KIND", of: ({ kind }) => wordOf(PropertyKindSchema, kind) },
  { head: "COUNT", of: ({ count }) => count ?? "", isRight: true },
  { head: "EVENTS", of: ({ eventCount }) => eventCount },
  { head: "DISPLAY NAME", of: ({ displayName }) => displayName },
];

const valueColumns: readonly Column<PropertyValue>[] = [
  { head: "VALUE", of: ({ value }) => value },
  { head: "COUNT", of: ({ count }) => count },
  { head: "SHARE", of: ({ share }) => `${(share * 100).toFixed(2)}%`, isRight: true },
];
