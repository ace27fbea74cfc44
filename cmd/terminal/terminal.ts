import { Transform, type Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** The output of a command. Tests pass their own streams. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): boolean;
}

/**
 * Writes untrusted text, such as records, responses and names in files. Control characters are escaped on a terminal;
 * files and pipes get the text unchanged.
 */
export function writeForeign(stream: Output, text: string): boolean {
  return stream.write(stream.isTTY === true ? escapeControls(text) : text);
}

/** Returns the transforms that make untrusted bytes safe for a stream; none unless it is a terminal. */
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

/** Escapes control characters, except line ends and tabs. */
function escapeControls(text: string): string {
  return text.replaceAll(/(?![\n\t])(?!\r\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, numberOf);
}

/** Escapes control characters of a text that must stay on one line. */
export function escapeLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, numberOf);
}

function numberOf(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`;
}
