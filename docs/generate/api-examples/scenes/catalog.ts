import { Catalog, EventOrder, PropertyTable } from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { SavedQueries } from "../../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import { textAt } from "../bodies.ts";
import type { World } from "../world.ts";

const projectId = 1n;

export async function playCatalog({ calls }: World): Promise<void> {
  const { method } = Catalog;
  await calls.unary(method.listProjects, {});
  await calls.unary(method.listEvents, { projectId, prefix: "p", order: EventOrder.COUNT, pageSize: 10 });
  await calls.unary(method.getEvent, { projectId, event: "pay" });
  await calls.unary(method.listProperties, { projectId, table: PropertyTable.USER, pageSize: 2 });
  await calls.unary(method.listPropertyValues, {
    projectId,
    property: "item",
    event: "pay",
    fromDay: "2026-03-01",
    toDay: "2026-03-04",
    pageSize: 2,
  });
  await calls.unary(method.listDimensions, { projectId });
  await calls.unary(method.listMetrics, { projectId });
}

const requestJson = JSON.stringify({
  projectId: 1,
  eventView: { recentDay: "1-7", timeParticleSize: "day" },
  events: [{ type: "normal", eventName: "pay", analysis: "TRIG_USER_NUM" }],
});

export async function playSavedQueries({ calls }: World): Promise<void> {
  const { method } = SavedQueries;
  const savedQuery = { name: "Payers of the week", requestJson };
  const created = await calls.unary(method.createSavedQuery, { projectId, savedQuery });
  const queryId = textAt(created, "savedQuery", "queryId");
  await calls.unary(method.getSavedQuery, { projectId, queryId });
  await calls.unary(method.listSavedQueries, { projectId, pageSize: 10 });
  const changed = {
    ...savedQuery,
    description: "For the Monday report.",
    etag: textAt(created, "savedQuery", "etag"),
  };
  const updated = await calls.unary(method.updateSavedQuery, { projectId, queryId, savedQuery: changed });
  await calls.unary(method.deleteSavedQuery, {
    projectId,
    queryId,
    etag: textAt(updated, "savedQuery", "etag"),
  });
}
