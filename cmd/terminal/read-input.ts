import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { withoutTextMark } from "../../base/text/byte-order-mark.ts";
import { cannotRead } from "./file-fault.ts";

/** The text of a file or of standard input. */
export interface Input {
  /** As messages name it. */
  readonly name: string;
  readonly text: string;
}

/** Reads a text file of the command line, or standard input for `-`. @throws UserError */
export async function readInput(file: string, stdin: NodeJS.ReadableStream): Promise<Input> {
  if (file === "-") return { name: "standard input", text: withoutTextMark(await text(stdin)) };
  return { name: JSON.stringify(file), text: readTextFile(file) };
}

/** Reads a text file of the command line. @throws UserError */
export function readTextFile(file: string): string {
  try {
    return withoutTextMark(readFileSync(file, "utf8"));
  } catch (error) {
    throw cannotRead(file, error);
  }
}
