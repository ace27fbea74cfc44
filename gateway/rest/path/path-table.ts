import { decode, type PathTemplate } from "./template.ts";

/** What is served at a path. */
export interface PathMatch<T> {
  readonly value: T;
  /** The segments of the path, percent-encoded as they came, without the template's verb. */
  readonly segments: readonly string[];
}

/** Values by HTTP method and path; a method `*` stands for those that are not named. */
export interface PathTable<T> {
  /** Returns the value that already has the same method and the same form of path, in place of adding. */
  add(method: string, template: PathTemplate, value: T): T | undefined;
  /** The most specific one: literals go before `*`, `*` before `**`, from left to right. */
  find(method: string, path: string): PathMatch<T> | undefined;
  /** The methods of all templates that match, sorted. */
  methodsAt(path: string): readonly string[];
}

type ByMethod<T> = Map<string, T>;

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  one: Node<T> | undefined;
  /** Templates that end here, by verb. */
  readonly ends: Map<string, ByMethod<T>>;
  /** Templates that go on with `**` from here, by verb. */
  readonly rests: Map<string, ByMethod<T>>;
}

/** HTTP methods are few, but over HTTP/2 a caller may send any word as one. */
const maxVisits = 64;

type Visit<T> = (leaf: ByMethod<T>, segments: readonly string[]) => PathMatch<T> | undefined;

/**
 * Paths without variables are found in one map; the rest in a tree of segments,
 * of which a search visits each node at most once.
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

  /** Visits the templates that match until one visit returns something. */
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

/** The methods of this form of path; made where there are none yet. */
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
