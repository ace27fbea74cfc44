/**
 * A place in the console. It is the fragment of the URL (`#/deliveries/17?state=dead`), which browsers send to no
 * server, so that push ids in filters stay out of the logs of servers and proxies.
 */
export interface Route {
  /** The segments of the path, decoded. */
  readonly path: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

/** Reads a fragment, with `#` or without; what cannot be decoded is kept as it is. */
export function parseRoute(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#?\/?/, "").split(/\?(.*)/s);
  return {
    path: path
      .split("/")
      .filter((segment) => segment !== "")
      .map(decodeSegment),
    query: new Map(new URLSearchParams(query)),
  };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Writes a fragment. Values that are empty are left out, so that one state has one URL. */
export function formatRoute({ path, query }: Route): string {
  const filled = [...query].filter(([, value]) => value !== "");
  const text = filled.length === 0 ? "" : `?${new URLSearchParams(filled.sort(byName))}`;
  return `#/${path.map(encodeURIComponent).join("/")}${text}`;
}

function byName([one]: [string, string], [other]: [string, string]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Returns a query with changes; an empty value removes one. */
export function withQuery(
  query: ReadonlyMap<string, string>,
  changes: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  return new Map([...query, ...Object.entries(changes)].filter(([name]) => changes[name] !== ""));
}
