import { Refusal } from "../line/line.ts";
import type { Copyable, ReadTarget } from "./entry.ts";
import type { Planned, UnchangedField } from "./plan.ts";
import { type Head, isPlainText, writeKey, writeValue } from "./write.ts";

/** A key of the record and the source of its value. */
export interface Target {
  readonly key: string;
  readonly head: Head;
  readonly read: ReadTarget;
  readonly isLineText: boolean;
  readonly copyable: Copyable | undefined;
  /** Fields that it reads. */
  readonly paths: readonly string[];
}

export type IsNull = (value: unknown) => boolean;

/** Writes the members of an object without its braces: the targets, then the kept fields. */
export function writeMembers(
  targets: readonly Target[],
  unchanged: readonly UnchangedField[],
  { plan: { places }, values }: Planned,
  plain: boolean,
  isNull: IsNull,
): string | Refusal {
  let text = "";
  let isOpen = false;
  for (let index = 0; index < targets.length; index++) {
    const { head, read, isLineText: isOfLine } = targets[index]!;
    const value = read(values, places);
    if (value === undefined) continue;
    if (value instanceof Refusal) return value;
    const isText = typeof value === "string" && ((plain && isOfLine) || isPlainText(value));
    text += writeKey(head, text, isOpen, isText) + (isText ? value : writeValue(value));
    isOpen = isText;
  }
  for (let index = 0; index < unchanged.length; index++) {
    const { at, head } = unchanged[index]!;
    const value = values[at];
    if (isNull(value)) continue;
    const isText = typeof value === "string" && (plain || isPlainText(value));
    text += writeKey(head, text, isOpen, isText) + (isText ? value : writeValue(value));
    isOpen = isText;
  }
  return isOpen ? `${text}"` : text;
}

/** Joins the members of two parts of an object. */
export function joinMembers(first: string, second: string): string {
  return first === "" || second === "" ? first + second : `${first},${second}`;
}

export function closeRecord(root: string, properties: string): string {
  if (properties === "") return `{${root}}`;
  return root === "" ? `{"properties":{${properties}}}` : `{${root},"properties":{${properties}}}`;
}
