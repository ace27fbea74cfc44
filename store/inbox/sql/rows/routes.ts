import { decodeIndexes } from "../../index-set.ts";
import type { StoredRoute } from "../../stored-batch.ts";

export type RouteRow = StoredRoute;

/** The `routes` of a batch, as of `encodeRoutes`. */
export function parseRoutes(text: string): readonly RouteRow[] {
  const routes = JSON.parse(text) as readonly (readonly [string, string, 0 | 1])[];
  return routes.map(([target, indexes, ordered]) => ({
    target,
    indexes: decodeIndexes(indexes),
    ordered: ordered === 1,
  }));
}

/** Whether the elements of a target keep their order; no, where the routes can't be read. */
export function isOrderedRoute(routes: string, target: string): boolean {
  try {
    return parseRoutes(routes).some((route) => route.target === target && route.ordered);
  } catch {
    return false;
  }
}
