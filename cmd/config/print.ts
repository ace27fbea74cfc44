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

/** Returns the meaning of a setting, if it has a text. */
type TextOf = (path: ConfigPath) => string | undefined;

/**
 * Formats the settings as YAML, each value with a comment about its origin, and above it one about its meaning where
 * `textOf` has it.
 */
export function printSettings(settings: unknown, originOf: OriginOf, textOf?: TextOf): string {
  const document = new Document(settings, { aliasDuplicateObjects: false });
  comment(document.contents, [], originOf);
  if (textOf !== undefined) explain(document.contents, [], textOf);
  const text = document.toString({
    lineWidth: 0,
    commentString: (comments) => comments.replace(/^/gm, originMark),
  });
  return text
    .split("\n")
    .map((line) => {
      const [value, origin] = line.split(originMark);
      if (origin === undefined) return line;
      const isOwnLine = value!.trim() === "";
      return isOwnLine ? `${value}# ${origin}` : `${value!.trimEnd().padEnd(commentColumn)} # ${origin}`;
    })
    .join("\n");
}

/** Puts the meaning of each setting above its key; that of the first in an element of a list above the dash. */
function explain(node: unknown, path: ConfigPath, textOf: TextOf): void {
  if (isMap(node)) {
    for (const [i, pair] of node.items.entries()) {
      if (!isScalar(pair.key)) continue;
      const own = [...path, String(pair.key.value)];
      const text = textOf(own);
      const isAfterDash = i === 0 && typeof path.at(-1) === "number";
      if (text !== undefined) (isAfterDash ? node : pair.key).commentBefore = wrap(text);
      explain(pair.value, own, textOf);
    }
  } else if (isSeq(node)) {
    for (const [i, item] of node.items.entries()) explain(item, [...path, i], textOf);
  }
}

/** Breaks a text between words into lines of at most 96 characters. */
function wrap(text: string): string {
  return text.replace(/(?=\S)(.{1,96})(?:\s+|$)/g, "$1\n").trimEnd();
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
