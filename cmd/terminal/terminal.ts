import { Transform, type Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Where a command writes; tests give streams of their own. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): boolean;
}

/**
 * Writes text of strangers: records, answers of servers, names in files. A terminal gets no characters that steer it;
 * files and pipes get the text as it is.
 */
export function writeForeign(stream: Output, text: string): boolean {
  return stream.write(stream.isTTY === true ? escapeControls(text) : text);
}

/** What to put before a stream for bytes of strangers; nothing where it is no terminal. */
export function guardsOf(stream: Writable & { readonly isTTY?: boolean }): Transform[] {
  return stream.isTTY === true ? [createEscaper()] : [];
}

function createEscaper(): Transform {
  const decoder = new StringDecoder("utf8");
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, escapeControls(decoder.write(chunk))),
    flush: (done) => done(null, escapeControls(decoder.end())),
  });
}

/** Shows what steers a terminal as its number; lines and tabs stay. */
export function escapeControls(text: string): string {
  return text.replaceAll(/(?![\n\t])(?!\r\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, numberOf);
}

/** The same for text that has to stay on one line. */
export function escapeLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, numberOf);
}

function numberOf(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`;
}
