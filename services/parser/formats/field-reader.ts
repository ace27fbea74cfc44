import type { Refusal } from "../line/line.ts";
import type { Fields } from "../mapping/fields.ts";

/** Reads the fields of a line: one element for each record in it. */
export type ReadLine = (line: string) => readonly Fields[] | Refusal;

/** The part of a format that reads text to fields. */
export interface FieldReader {
  readonly read: ReadLine;
  /** Fields that it can return; undefined when it can return any. */
  readonly knownFields: readonly string[] | undefined;
}
