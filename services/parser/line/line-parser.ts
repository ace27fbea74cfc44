import { quoteText } from "../../../base/text/quote.ts";
import { type CopyLine, type Format, type LineFailure, refuse } from "./line.ts";
import type { Unreadable } from "./window.ts";

export interface LineParserOptions {
  readonly formatFor: (index: string) => Format | undefined;
  readonly maxLineBytes: number;
}

/** Chooses the format of a line and applies it; never throws. */
export interface LineParser {
  /** The format of a line that may be tried to copy, and its copier. */
  copierFor(index: string, byteLength: number): Copying | undefined;
  /** @param wasTried whether copying was tried for this line before */
  parse(
    index: string | undefined,
    line: string,
    unreadable: Unreadable | undefined,
    wasTried?: boolean,
  ): readonly string[] | LineFailure;
  /** The format that met the last line; undefined when none was chosen. */
  formatName(): string | undefined;
}

export interface Copying {
  readonly format: string;
  readonly copyLine: CopyLine;
}

/** Looked-up indexes are remembered; a file name or topic is shorter. */
const maxIndexCharacters = 4_096;

const noIndex = refuse("no_index", "the line names no index");
const emptyLine = refuse("empty_line", "the line is empty");
const invalidUtf8 = refuse("invalid_utf8", "the line is not UTF-8");

export function createLineParser(options: LineParserOptions): LineParser {
  const { formatFor, maxLineBytes } = options;
  const tooLong = refuse("line_too_long", `the line is longer than ${maxLineBytes} bytes`);
  // A character is at most three bytes of UTF-8.
  const surelyShort = Math.floor(maxLineBytes / 3);
  let lastIndex: string | undefined;
  let format: Format | undefined;
  let copying: Copying | undefined;
  let met: Format | undefined;

  function meet(index: string | undefined): void {
    if (index !== lastIndex) {
      lastIndex = index;
      format = index === undefined || index.length > maxIndexCharacters ? undefined : formatFor(index);
      copying = format?.copied && { format: format.name, copyLine: format.copied.copyLine };
    }
    met = format;
  }
  return {
    formatName: () => met?.name,
    copierFor(index, byteLength) {
      meet(index);
      return byteLength > maxLineBytes ? undefined : copying;
    },
    parse(index, line, unreadable, wasTried) {
      meet(index);
      if (unreadable !== undefined) return unreadable.reason === "invalid_utf8" ? invalidUtf8 : tooLong;
      if (index === undefined) return noIndex;
      if (line === "") return emptyLine;
      if (line.length > surelyShort && Buffer.byteLength(line) > maxLineBytes) {
        return tooLong;
      }
      if (format === undefined) return index === "" ? noIndex : noFormat(index);
      try {
        const { parseLine } = (wasTried && format.copied) || format;
        return parseLine(line, index);
      } catch (error) {
        return refuse("internal_error", `format ${quoteText(format.name)} threw ${quoteText(String(error))}`);
      }
    },
  };
}

function noFormat(index: string): LineFailure {
  return refuse("no_format", `no format has an index pattern for ${quoteText(index)}`);
}
