import { signal } from "@preact/signals";
import { formatRoute, parseRoute, type Route, withQuery } from "./route.ts";

const current = signal<Route>(parseRoute(location.hash));

/** The present place; components that read its value follow it. */
export const route = current as { readonly value: Route };

/** Follows links, the back button and the address bar. Returns what ends that. */
export function startRouter(): () => void {
  const follow = () => {
    current.value = parseRoute(location.hash);
  };
  addEventListener("hashchange", follow);
  return () => removeEventListener("hashchange", follow);
}

/** Returns the `href` of a place. */
export function hrefOf(path: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  return formatRoute({ path, query: new Map(Object.entries(query)) });
}

/** Goes to a place, which the back button leaves again. */
export function navigate(path: readonly string[], query: Readonly<Record<string, string>> = {}): void {
  location.hash = hrefOf(path, query);
}

/**
 * Changes filters of the present place. The URL follows without a new entry of the history, so that typing into a
 * filter leaves no trail.
 */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const changed = { path: current.value.path, query: withQuery(current.value.query, changes) };
  history.replaceState(null, "", formatRoute(changed));
  current.value = changed;
}
