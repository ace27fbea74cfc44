import { Document, isCollection, isMap, isScalar, isSeq } from "yaml";
import type { ConfigPath } from "./problem.ts";
import { formatSource, type ValueSource } from "./values.ts";

// Origins start at this column, unless the value is longer.
const commentColumn = 48;
// Precedes each origin until the columns are aligned. YAML escapes it in values.
const originMark = "\u0000";

type OriginOf = (path: ConfigPath) => {
  readonly source: ValueSource;
  /** The file that contains a secret. */
  readonly secretFile: string | undefined;
};

/** Formats the settings as YAML, each value with a comment about its origin. */
export function printSettings(settings: unknown, originOf: OriginOf): string {
  const document = new Document(settings, { aliasDuplicateObjects: false });
  comment(document.contents, [], originOf);
  const text = document.toString({ lineWidth: 0, commentString: (origin) => `${originMark}${origin}` });
  return text
    .split("\n")
    .map((line) => {
      const [value, origin] = line.split(originMark);
      return origin === undefined ? line : `${value!.trimEnd().padEnd(commentColumn)} # ${origin}`;
    })
    .join("\n");
}

function comment(node: unknown, path: ConfigPath, originOf: OriginOf): void {
  if (isMap(node) && node.items.length > 0) {
    for (const pair of node.items) {
      if (isScalar(pair.key)) comment(pair.value, [...path, String(pair.key.value)], originOf);
    }
  } else if (isSeq(node) && node.items.length > 0) {
    for (const [i, item] of node.items.entries()) comment(item, [...path, i], originOf);
  } else if (isScalar(node) || isCollection(node)) {
    if (isCollection(node)) node.flow = true;
    const { source, secretFile } = originOf(path);
    node.comment = `${formatSource(source)}${secretFile === undefined ? "" : `, file ${secretFile}`}`;
  }
}
