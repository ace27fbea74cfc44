import type { ErrorCode } from "yaml";
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from "yaml";
import { isRecordKey } from "../../services/parser/check/names.ts";
import { findLostKeys } from "./lost-keys.ts";
import type { ConfigPath, Problem } from "./problem.ts";

/** The text of a configuration file with the places of its values. */
export interface ConfigSource {
  readonly file: string;
  /** The plain values; undefined if the file has problems or is empty. */
  readonly tree: unknown;
  readonly problems: readonly Problem[];
  /** Keys of mappings that the file loses, since they are comments. They are looked for when this is read. */
  readonly lostKeys: readonly Problem[];
  /** Returns the number of keys of the path that the file has. */
  depthOf(path: ConfigPath): number;
  /** Whether the file sets this value, possibly in a short form (a text instead of a list or a section). */
  gives(path: ConfigPath): boolean;
  /** Returns the line and column of the value at the path, or of the nearest section above it. */
  place(path: ConfigPath, part?: "key" | "value"): { readonly line: number; readonly col: number };
}

// The parser's own messages are replaced, since they may quote the text around a fault, and with it a secret.
const messages: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_ALIAS: "a value that starts with * or & must be quoted",
  BAD_INDENT: "wrong indentation, or a bracket left open",
  BLOCK_AS_IMPLICIT_KEY: "a nested section must start on a line of its own",
  DUPLICATE_KEY: "this key is given twice in one section",
  MISSING_CHAR: "a quote, bracket, comma or colon is missing",
  BAD_SCALAR_START: "a value that starts with this character must be quoted",
  BAD_DQ_ESCAPE: 'unknown escape in double quotes: use single quotes or double the "\\"',
  MULTIPLE_DOCS: "only one YAML document is allowed",
  MULTILINE_IMPLICIT_KEY: "a key must stand on one line and be followed by a colon",
  TAB_AS_INDENT: "tabs cannot indent YAML: use spaces",
  TAG_RESOLVE_FAILED: "unknown YAML tag",
  UNEXPECTED_TOKEN: "this text does not belong here",
};

/** Parses YAML 1.2, which includes JSON. Never throws. */
export function parseConfigSource(file: string, text: string): ConfigSource {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    // The position in an empty file would have line 0.
    return { line: Math.max(line, 1), col: Math.max(col, 1) };
  };
  const problem = (offset: number, message: string): Problem => {
    const { line, col } = at(offset);
    return { where: `${file}:${line}:${col}`, path: "", message };
  };
  const problems = [...document.errors, ...document.warnings].map(({ pos, code }) =>
    problem(pos[0], `not valid YAML: ${messages[code] ?? code.toLowerCase().replaceAll("_", " ")}`),
  );
  let tree: unknown;
  try {
    if (problems.length === 0) tree = withoutCycles(document.toJS()) ?? undefined;
  } catch {
    const message =
      "not valid YAML: a value that starts with * must be quoted, unless it is an alias of an anchor, which must exist and not stand within itself";
    problems.push(problem(0, message));
  }
  const find = (path: ConfigPath) =>
    findNode(document.contents, path, (node) => (isAlias(node) ? node.resolve(document) : node));
  return {
    file,
    tree,
    problems,
    get lostKeys() {
      return findLostKeys(text, isRecordKey).map(({ name, offset }) =>
        problem(
          offset,
          `${name} begins a comment, so that the mapping lacks it: write "${name}" with quotes`,
        ),
      );
    },
    depthOf: (path) => find(path).depth,
    gives(path) {
      const { node, depth } = find(path);
      return (
        path.length > 0 && (depth === path.length || (depth > 0 && isScalar(node) && node.value !== null))
      );
    },
    place(path, part = "value") {
      const { node, pair, depth } = find(path);
      const wanted = (part === "key" && depth === path.length ? pair?.key : undefined) ?? node ?? pair?.key;
      return at((wanted as Node | undefined)?.range?.[0] ?? 0);
    },
  };
}

/** Refuses an anchor that contains its own alias. @throws TypeError */
function withoutCycles(tree: unknown): unknown {
  JSON.stringify(tree);
  return tree;
}

interface Found {
  readonly node: Node | null | undefined;
  readonly pair: Pair | undefined;
  /** The number of keys of the path that were found. */
  readonly depth: number;
}

function findNode(root: Node | null, path: ConfigPath, resolve: (node: Node) => Node | undefined): Found {
  let found: Found = { node: root, pair: undefined, depth: 0 };
  for (const key of path) {
    const parent = found.node ? resolve(found.node) : undefined;
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key))
      : undefined;
    const item = isSeq(parent) ? parent.items[Number(key)] : undefined;
    if (pair === undefined && item === undefined) break;
    // The value of `key:` alone is a null without a position of its own.
    found = {
      node: (pair === undefined ? item : pair.value) as Node | null,
      pair: pair as Pair | undefined,
      depth: found.depth + 1,
    };
  }
  return found;
}
