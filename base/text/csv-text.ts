import { isUtf8 } from "node:buffer";
import type { CsvError } from "csv-parse";

const lf = 0x0a;
const cr = 0x0d;
const quote = 0x22;
/** The number of earlier cells that are kept, since the parser looks some bytes ahead. */
const maxCellsBefore = 4;
const noBytes = Buffer.alloc(0);

/** The lines of the quotation marks of a cell. */
interface QuotedCell {
  readonly openLine: number;
  closeLine: number;
}

/** Follows a CSV text while it is parsed, so that a fault is reported with the line where it begins. */
export class CsvText {
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  /** The first byte, while it alone does not determine the encoding. */
  #first: Uint8Array | undefined = noBytes;
  #isUtf16 = false;
  #line = 1;
  #last = 0;
  #isOpen = false;
  /** The quoted cells that begin in this piece, and the last ones before it. */
  #cells: QuotedCell[] = [];

  /**
   * Takes the next piece and returns it in UTF-8.
   * @throws Error if it is neither UTF-8 nor UTF-16 with a byte order mark
   */
  take(piece: Uint8Array): Uint8Array {
    const bytes = this.#first === undefined ? piece : Buffer.concat([this.#first, piece]);
    if (bytes.length < 2 && this.#first !== undefined) {
      this.#first = bytes;
      return noBytes;
    }
    if (this.#first !== undefined) this.#begin(bytes);
    this.#first = undefined;
    return this.#follow(this.#check(bytes));
  }

  /** Returns the rest of the text at its end. @throws Error as `take` does */
  end(): Uint8Array {
    const rest = this.#first ?? noBytes;
    this.#first = undefined;
    return this.#follow(this.#check(rest, true));
  }

  /** Adds the line where the fault begins to the message of a parser error. */
  explain(error: CsvError): CsvError {
    const { code, lines } = error as { readonly code: string; readonly lines?: number };
    const kind = error.message.split(":", 1)[0];
    if (code === "INVALID_OPENING_QUOTE") {
      error.message = `${kind}: line ${lines} has a quotation mark in a cell that does not begin with one; quote the cell and double the mark`;
    }
    // The text may have been read beyond the fault.
    const found = this.#cells.find(
      ({ openLine, closeLine }) => lines !== undefined && openLine <= lines && closeLine >= lines,
    );
    if (found === undefined) return error;
    const cell = `the cell whose quotation mark opens in line ${found.openLine}`;
    if (code === "CSV_QUOTE_NOT_CLOSED") error.message = `${kind}: ${cell} is never closed`;
    if (code === "CSV_MAX_RECORD_SIZE") error.message += `; perhaps ${cell} is never closed`;
    if (code === "CSV_INVALID_CLOSING_QUOTE") {
      error.message = `${kind}: ${cell} is closed in line ${lines}, but more text follows; quotation marks in a cell are doubled`;
    }
    return error;
  }

  #begin(bytes: Uint8Array): void {
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-16be";
    this.#isUtf16 = encoding === "utf-16le" || (bytes[0] === 0xfe && bytes[1] === 0xff);
    if (this.#isUtf16) this.#decoder = new TextDecoder(encoding, { fatal: true });
  }

  #check(bytes: Uint8Array, isEnd = false): Uint8Array {
    if (this.#decoder === undefined && isUtf8(bytes)) return bytes;
    // A piece may end within a character; the decoder keeps its beginning.
    this.#decoder ??= new TextDecoder("utf-8", { fatal: true });
    try {
      const text = this.#decoder.decode(bytes, { stream: !isEnd });
      return this.#isUtf16 ? Buffer.from(text) : bytes;
    } catch {
      const line = this.#isUtf16 ? this.#line : this.#line + linesBeforeFault(bytes);
      const encoding = this.#decoder.encoding.toUpperCase();
      throw new Error(`line ${line} is not ${encoding}; valid are UTF-8, and UTF-16 with a byte order mark`);
    }
  }

  /** Finds quotation marks: within a cell they are doubled, so each mark opens or closes. */
  #follow(bytes: Uint8Array): Uint8Array {
    this.#cells = this.#cells.slice(-maxCellsBefore);
    let line = this.#line;
    let last = this.#last;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === quote) {
        this.#isOpen = !this.#isOpen;
        if (!this.#isOpen) this.#cells.at(-1)!.closeLine = line;
        // The second mark of a doubled one begins no cell.
        else if (last === quote) this.#cells.at(-1)!.closeLine = Number.POSITIVE_INFINITY;
        else this.#cells.push({ openLine: line, closeLine: Number.POSITIVE_INFINITY });
      } else if (byte === cr || (byte === lf && last !== cr)) line++;
      last = byte;
    }
    this.#line = line;
    this.#last = last;
    return bytes;
  }
}

/** Counts the lines of a piece before the first one that is not UTF-8. The first may begin in the previous piece. */
function linesBeforeFault(bytes: Uint8Array): number {
  const starts = [0];
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === lf || (bytes[at] === cr && bytes[at + 1] !== lf)) starts.push(at + 1);
  }
  const isText = (line: number): boolean => isUtf8(bytes.subarray(starts[line], starts[line + 1]));
  const found = starts.findIndex((_, line) => line > 0 && !isText(line));
  // The last line may continue in the next piece.
  return found === -1 || (found === starts.length - 1 && !isText(0)) ? 0 : found;
}
