import { decode, type PathTemplate } from "./template.ts";

/** The value that a path matches. */
export interface PathMatch<T> {
  readonly value: T;
  /** The segments of the path, percent-encoded as received, without the template's verb. */
  readonly segments: readonly string[];
}

/** Values by HTTP method and path. The method `*` matches every method without a value of its own. */
export interface PathTable<T> {
  /**
   * Adds a value. If there is one with the same method and the same form of path, returns that one and adds nothing.
   */
  add(method: string, template: PathTemplate, value: T): T | undefined;
  /** Returns the most specific match: literals precede `*`, and `*` precedes `**`, from left to right. */
  find(method: string, path: string): PathMatch<T> | undefined;
  /** Returns the methods of all matching templates, sorted. */
  methodsAt(path: string): readonly string[];
}

type ByMethod<T> = Map<string, T>;

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  one: Node<T> | undefined;
  /** Templates that end at this node, by verb. */
  readonly ends: Map<string, ByMethod<T>>;
  /** Templates that continue with `**` at this node, by verb. */
  readonly rests: Map<string, ByMethod<T>>;
}

/** The most methods with a cached visit. There are few HTTP methods, but HTTP/2 clients may send any word as one. */
const maxVisits = 64;

type Visit<T> = (leaf: ByMethod<T>, segments: readonly string[]) => PathMatch<T> | undefined;

/**
 * Creates a table that finds paths without variables in a map, and others in a tree of segments, of which a search
 * visits each node at most once.
 */
export function createPathTable<T>(): PathTable<T> {
  const exact = new Map<string, Map<string, PathMatch<T>>>();
  const root = createNode<T>();
  const verbs = new Set<string>();
  const visits = new Map<string, Visit<T>>();
  const visitFor = (method: string): Visit<T> => {
    const known = visits.get(method);
    if (known !== undefined) return known;
    const visit: Visit<T> = (leaf, segments) => matchOf(leaf.get(method), segments);
    if (visits.size < maxVisits) visits.set(method, visit);
    return visit;
  };

  /** Visits the matching templates until a visit returns something. */
  const walk = <R>(
    path: string,
    visit: (leaf: ByMethod<T>, segments: readonly string[]) => R | undefined,
  ) => {
    if (path.charCodeAt(0) !== 47 /* "/" */) return undefined;
    const colon = verbs.size === 0 ? -1 : path.lastIndexOf(":");
    const verb = colon > path.lastIndexOf("/") ? path.slice(colon + 1) : "";
    if (verb !== "" && verbs.has(verb)) {
      const found = search(root, path.slice(1, colon).split("/"), 0, verb, visit);
      if (found !== undefined) return found;
    }
    return search(root, path.slice(1).split("/"), 0, "", visit);
  };

  return {
    add(method, template, value) {
      const leaf = leafFor(root, template);
      const before = leaf.get(method);
      if (before !== undefined) return before;
      leaf.set(method, value);
      if (template.verb !== "") verbs.add(template.verb);
      if (template.variables.length === 0 && template.segments.every(({ kind }) => kind === "literal")) {
        const methods = exact.get(template.text) ?? new Map<string, PathMatch<T>>();
        exact.set(template.text, methods.set(method, { value, segments: [] }));
      }
      return undefined;
    },
    find(method, path) {
      const known = exact.get(path)?.get(method);
      if (known !== undefined) return known;
      return walk(path, visitFor(method)) ?? walk(path, visitFor("*"));
    },
    methodsAt(path) {
      const methods = new Set<string>();
      walk(path, (leaf) => {
        for (const method of leaf.keys()) methods.add(method);
        return undefined;
      });
      return [...methods].sort();
    },
  };
}

function matchOf<T>(value: T | undefined, segments: readonly string[]): PathMatch<T> | undefined {
  return value === undefined ? undefined : { value, segments };
}

function createNode<T>(): Node<T> {
  return { literals: new Map(), one: undefined, ends: new Map(), rests: new Map() };
}

/** Returns the methods of this form of path, and creates them if there are none. */
function leafFor<T>(root: Node<T>, template: PathTemplate): ByMethod<T> {
  let node = root;
  let leaves = root.ends;
  for (const segment of template.segments) {
    if (segment.kind === "rest") {
      leaves = node.rests;
      break;
    }
    if (segment.kind === "one") {
      node.one ??= createNode();
      node = node.one;
    } else {
      const next = node.literals.get(segment.text) ?? createNode<T>();
      node.literals.set(segment.text, next);
      node = next;
    }
    leaves = node.ends;
  }
  const leaf = leaves.get(template.verb) ?? new Map<string, T>();
  leaves.set(template.verb, leaf);
  return leaf;
}

function search<T, R>(
  node: Node<T>,
  segments: readonly string[],
  at: number,
  verb: string,
  visit: (leaf: ByMethod<T>, segments: readonly string[]) => R | undefined,
): R | undefined {
  const segment = segments[at];
  let found: R | undefined;
  if (segment === undefined) {
    const leaf = node.ends.get(verb);
    found = leaf && visit(leaf, segments);
  } else {
    const literal = node.literals.get(segment.includes("%") ? (decode(segment) ?? segment) : segment);
    found = literal && search(literal, segments, at + 1, verb, visit);
    if (found === undefined && node.one !== undefined && segment !== "") {
      found = search(node.one, segments, at + 1, verb, visit);
    }
  }
  if (found !== undefined) return found;
  const rest = node.rests.get(verb);
  return rest && visit(rest, segments);
}
