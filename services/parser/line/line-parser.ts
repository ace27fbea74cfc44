import { quoteText } from "../../../base/text/quote.ts";
import { type Format, type LineCopying, type LineFailure, refuse } from "./line.ts";
import type { UnreadableLine } from "./segment.ts";

export interface LineParserOptions {
  readonly formatFor: (index: string) => Format | undefined;
  readonly maxLineBytes: number;
}

/** Selects the format of a line and applies it. Never throws. */
export interface LineParser {
  /** Returns the copier for a line, or undefined when lines of its format cannot be copied. */
  copierFor(index: string, byteLength: number): LineCopier | undefined;
  /** @param wasTried whether copying this line was tried before */
  parse(
    index: string | undefined,
    line: string,
    unreadable: UnreadableLine | undefined,
    wasTried?: boolean,
  ): readonly string[] | LineFailure;
  /** Returns the format of the last line, or undefined when it had none. */
  formatName(): string | undefined;
}

export interface LineCopier {
  readonly format: string;
  readonly copied: LineCopying;
}

/** Longer indexes have no format: looked-up indexes are cached, and file names and topics are shorter. */
const maxIndexCharacters = 4_096;

const noIndex = refuse("no_index", "the line names no index");
const emptyLine = refuse("empty_line", "the line is empty");
const invalidUtf8 = refuse("invalid_utf8", "the line is not UTF-8");

export function createLineParser(options: LineParserOptions): LineParser {
  const { formatFor, maxLineBytes } = options;
  const tooLong = refuse("line_too_long", `the line is longer than ${maxLineBytes} bytes`);
  // A UTF-16 unit takes at most three bytes in UTF-8.
  const alwaysShort = Math.floor(maxLineBytes / 3);
  let lastIndex: string | undefined;
  let format: Format | undefined;
  let copying: LineCopier | undefined;
  let selected: Format | undefined;

  function selectFormat(index: string | undefined): void {
    if (index !== lastIndex) {
      lastIndex = index;
      format = index === undefined || index.length > maxIndexCharacters ? undefined : formatFor(index);
      copying = format?.copied && { format: format.name, copied: format.copied };
    }
    selected = format;
  }
  return {
    formatName: () => selected?.name,
    copierFor(index, byteLength) {
      selectFormat(index);
      return byteLength > maxLineBytes ? undefined : copying;
    },
    parse(index, line, unreadable, wasTried) {
      selectFormat(index);
      if (unreadable !== undefined) return unreadable.reason === "invalid_utf8" ? invalidUtf8 : tooLong;
      if (index === undefined) return noIndex;
      if (line === "") return emptyLine;
      if (line.length > alwaysShort && Buffer.byteLength(line) > maxLineBytes) {
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
