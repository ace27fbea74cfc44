import type { MessageInitShape } from "@bufbuild/protobuf";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { readPage, writePageToken } from "../../../base/rpc/paging.ts";
import { configuredZone, dateIn } from "../../../base/time/zone.ts";
import {
  EventOrder,
  type EventSchema,
  type GetEventRequest,
  type GetEventResponseSchema,
  type ListEventsRequest,
  type ListEventsResponseSchema,
} from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import type { ProjectDefinitions } from "../project/definitions.ts";
import { byText, type CatalogIndex, countOf, type IndexedEvent } from "./index-volumes.ts";
import type { CatalogCall, KeptVolumes } from "./kept-volumes.ts";
import { messageType } from "./properties.ts";
import { refuseUnknown } from "./refusals.ts";
import { takePage } from "./take-page.ts";

type EventMessage = MessageInitShape<typeof EventSchema>;

/** A page of events with their properties, of which each may have hundreds. */
const detailedSizes = { standard: 100, max: 100 };

const orders: ReadonlySet<EventOrder> = new Set(Object.values(EventOrder));

export async function listEvents(
  request: ListEventsRequest,
  call: CatalogCall,
  volumes: KeptVolumes,
): Promise<MessageInitShape<typeof ListEventsResponseSchema>> {
  const { order, withProperties } = request;
  if (!orders.has(order)) {
    refuseField("order", `is ${order}, valid are 1 for names, 2 for counts, or 0 for names`);
  }
  const isByCount = order === EventOrder.COUNT;
  const prefix = request.prefix.toLowerCase();
  const list = ["events", call.projectId, prefix, isByCount];
  const { limit, after } = readPage(request, list, withProperties ? detailedSizes : undefined);
  const index = await volumes.read(call);
  const { items, next } = takePage(isByCount ? index.eventsByCount : index.eventsByName, {
    limit,
    after,
    matches: ({ name }) => name.toLowerCase().startsWith(prefix),
    cursorOf: (one) => (isByCount ? `${countOf(one)} ${one.name}` : one.name),
    isAfter: isByCount ? isAfterCount : ({ name }, cursor) => name > cursor,
  });
  const shape = shaperOf(index, call.port.definitions);
  return {
    events: items.map((one) => shape(one, withProperties)),
    nextPageToken: writePageToken(next, list),
  };
}

/** @param cursor the count and the name of the last event of the page before */
function isAfterCount(one: IndexedEvent, cursor: string): boolean {
  const at = cursor.indexOf(" ");
  const difference = countOf(one) - Number(cursor.slice(0, at));
  return difference === 0 ? one.name > cursor.slice(at + 1) : difference < 0;
}

export async function getEvent(
  { event }: GetEventRequest,
  call: CatalogCall,
  volumes: KeptVolumes,
): Promise<MessageInitShape<typeof GetEventResponseSchema>> {
  if (event === "") refuseField("event", "is required");
  const index = await volumes.read(call);
  const found = index.eventsByName.find(({ name }) => name === event);
  if (found === undefined) {
    throw refuseUnknown("event", event, () => index.eventsByName.map(({ name }) => name));
  }
  return { event: shaperOf(index, call.port.definitions)(found, true) };
}

type ShapeEvent = (event: IndexedEvent, withProperties: boolean) => EventMessage;

function shaperOf({ volumes }: CatalogIndex, definitions: ProjectDefinitions): ShapeEvent {
  const zone = configuredZone(definitions.zone);
  const properties = new Map([...volumes.schema.properties.values()].map((one) => [one.number, one]));
  return ({ name, volume }, withProperties) => {
    if (volume === undefined) return { name };
    const own = withProperties ? [...volume.values] : [];
    const shaped = own.flatMap(([number, count]) => {
      const property = properties.get(number);
      if (property === undefined) return [];
      return [
        {
          name: property.name,
          type: messageType(property.type),
          count: BigInt(count),
          displayName: definitions.displayNames.get(property.name) ?? "",
        },
      ];
    });
    return {
      name,
      count: BigInt(volume.count),
      firstDay: dateIn(zone, volume.firstMs),
      lastDay: dateIn(zone, volume.lastMs),
      propertyCount: volume.values.size,
      properties: shaped.sort((a, b) => byText(a.name, b.name)),
    };
  };
}
