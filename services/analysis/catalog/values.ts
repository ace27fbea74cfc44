import type { MessageInitShape } from "@bufbuild/protobuf";
import { LruCache } from "../../../base/cache/lru-cache.ts";
import { userIdNames } from "../../../base/record/user-ids.ts";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { foreignPageToken, readPage, writePageToken } from "../../../base/rpc/paging.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { parseDate } from "../../../base/time/local-time.ts";
import type {
  ListPropertyValuesRequest,
  ListPropertyValuesResponseSchema,
} from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import type { CountedValue, PropertyTable } from "../../../store/events/events.ts";
import { createSharedRuns } from "../cache/shared-runs.ts";
import { propertyNames } from "../describe/column/property-column.ts";
import type { ColumnValues, FoundValues } from "../project/project.ts";
import { labelOf } from "../text-form.ts";
import type { CatalogCall } from "./kept-volumes.ts";
import { messageType, readOfEvents, readTable } from "./properties.ts";
import { refuseUnknown } from "./refusals.ts";

const sizes = { standard: 20, max: 100 };

/** Finds values, and keeps them until the data of the project changes. */
export interface KeptValues {
  find(wanted: ColumnValues, call: CatalogCall): Promise<FoundValues>;
}

/** The most characters of kept values. */
const maxKeptCharacters = 4_194_304;
const entryCharacters = 256;

export function createKeptValues(): KeptValues {
  const cache = new LruCache<string, FoundValues>(maxKeptCharacters);
  const runs = createSharedRuns<FoundValues>();
  return {
    async find(wanted, { projectId, project, port, caller, signal }) {
      const version = await project.engine.version(projectId);
      const key = JSON.stringify([projectId, version, wanted]);
      const known = cache.get(key);
      if (known !== undefined) return known;
      const run = async (own: AbortSignal): Promise<FoundValues> => {
        const found = await port.values(wanted, { signal: own, caller });
        // A virtual property may depend on the time and on cohorts, and without a version nothing tells when data
        // changed.
        if (version !== undefined && !wanted.name.startsWith("#vp@"))
          cache.set(key, found, key.length + sizeOf(found));
        return found;
      };
      return await runs.join(key, run, signal).result;
    },
  };
}

const sizeOf = ({ values }: FoundValues): number =>
  values.reduce((size, { value }) => size + String(value).length + entryCharacters, entryCharacters);

export async function listValues(
  request: ListPropertyValuesRequest,
  call: CatalogCall,
  kept: KeptValues,
): Promise<MessageInitShape<typeof ListPropertyValuesResponseSchema>> {
  const table = readTable(request.table);
  const { property, prefix } = request;
  if (property === "") refuseField("property", "is required");
  const event = readOfEvents("event", request.event, table);
  const fromDayMs = readDay("from_day", request.fromDay, table);
  const toDayMs = readDay("to_day", request.toDay, table);
  if (fromDayMs !== undefined && toDayMs !== undefined && fromDayMs > toDayMs) {
    refuseField("to_day", `${quoteText(request.toDay)} is before from_day, so nothing can match`);
  }
  const list = ["values", call.projectId, table, property, event, fromDayMs, toDayMs, prefix];
  const { limit, after } = readPage(request, list, sizes);
  await checkNames(table, property, event, call);
  const wanted = {
    table,
    name: property,
    event,
    fromDayMs,
    toDayMs,
    prefix,
    after: readCursor(after),
    limit,
  };
  const { values, count, withValue, type, kind } = await kept.find(wanted, call);
  const last = values.length < limit ? undefined : values.at(-1);
  return {
    values: values.map((one) => ({
      value: writeValue(kind, one.value),
      count: BigInt(one.count),
      share: one.count / withValue,
    })),
    count: BigInt(count),
    withValue: BigInt(withValue),
    type: messageType(type),
    nextPageToken: writePageToken(last === undefined ? null : JSON.stringify([last.count, last.value]), list),
  };
}

function readDay(field: string, text: string, table: PropertyTable): number | undefined {
  const given = readOfEvents(field, text, table);
  if (given === undefined) return undefined;
  const day = parseDate(given);
  return day ?? refuseField(field, `${quoteText(given)} is not a day, valid is yyyy-MM-dd`);
}

function readCursor(after: string | undefined): CountedValue | undefined {
  if (after === undefined) return undefined;
  try {
    const [count, value] = JSON.parse(after) as [number, CountedValue["value"]];
    if (Number.isSafeInteger(count) && ["string", "number", "boolean"].includes(typeof value)) {
      return { count, value };
    }
  } catch {
    // As for any other text which is not a cursor.
  }
  throw foreignPageToken();
}

const builtins: Readonly<Record<PropertyTable, ReadonlySet<string>>> = {
  event: new Set([...userIdNames, "#event_name", "#event_time", "#server_time"]),
  user: new Set(userIdNames),
};

/** @throws AnalysisRefusal for unknown names */
async function checkNames(
  table: PropertyTable,
  property: string,
  event: string | undefined,
  { port }: CatalogCall,
): Promise<void> {
  const schema = await port.schema();
  if (event !== undefined && !schema.events.has(event)) {
    throw refuseUnknown("event", event, () => [...schema.events.keys()]);
  }
  const { virtualProperties, dimensions } = port.definitions;
  const lower = property.toLowerCase();
  const at = property.lastIndexOf("@");
  const isKnown =
    builtins[table].has(lower) ||
    schema.properties.has(`${table}:${lower}`) ||
    (property.startsWith("#vp@") && virtualProperties.has(property.slice(4))) ||
    dimensions.has(`${table}:${property.slice(0, at).toLowerCase()}@${property.slice(at + 1)}`);
  if (!isKnown) throw refuseUnknown("property", property, () => propertyNames(schema, table));
}

/** Writes a value with all its digits, and otherwise as the label of a group. */
function writeValue(kind: FoundValues["kind"], value: CountedValue["value"]): string {
  if (typeof value === "number" && kind === "number" && Number.isInteger(value))
    return BigInt(value).toString();
  return labelOf({ kind }, value)!;
}
