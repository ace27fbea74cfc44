import type { Refusal } from "../line/line.ts";
import type { Fields } from "../mapping/path.ts";

/** Reads the fields of a line: one list element for each record in it. */
export type ReadLine = (line: string) => readonly Fields[] | Refusal;

/** A format's own part: from text to fields. */
export interface Reader {
  readonly read: ReadLine;
  /** The fields it can give; undefined when any may come. */
  readonly knownFields: readonly string[] | undefined;
}
