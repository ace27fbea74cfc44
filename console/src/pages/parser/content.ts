import type { FramingRole, FramingToken } from "../../../../gen/engage/parser/v1/parser_explainer_pb.ts";
import { textOf } from "../../controls/bytes/bytes.ts";

/** The largest content that the server explains. */
export const maxContentBytes = 256 * 1_024;

/** One token as it is shown. */
export interface ShownToken {
  readonly offset: number;
  readonly length: number;
  readonly role: FramingRole;
  readonly line: number;
  /** Its bytes in characters that are all visible. */
  readonly text: string;
}

/** Returns the tokens with the bytes that they stand for. */
export function shownTokens(content: Uint8Array, tokens: readonly FramingToken[]): ShownToken[] {
  return tokens.map(({ offset, length, role, lineNumber }) => {
    const text = visible(content.subarray(offset, offset + length));
    return { offset, length, role, line: lineNumber, text };
  });
}

const names: Readonly<Record<number, string>> = { 9: "\\t", 10: "\\n", 13: "\\r" };

/** Writes bytes in visible characters: control characters and what is not UTF-8 as `\n` or `\xNN`. */
export function visible(bytes: Uint8Array): string {
  const text = textOf(bytes);
  if (text === undefined) return Array.from(bytes, visibleByte).join("");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced.
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (one) => visibleControl(one.charCodeAt(0)));
}

function visibleByte(byte: number): string {
  if (byte < 0x20 || byte === 0x7f) return visibleControl(byte);
  return byte < 0x7f ? String.fromCharCode(byte) : escapeByte(byte);
}

function visibleControl(code: number): string {
  return names[code] ?? escapeByte(code);
}

function escapeByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

/** The names of roles in keys of texts, by their numbers. */
const roleNames = [
  "data",
  "index",
  "indexSeparator",
  "data",
  "separatorInData",
  "trimmed",
  "separator",
  "lineEnd",
] as const;

export type RoleName = (typeof roleNames)[number];

/** Roles of a newer server count as data. */
export function roleName(role: FramingRole): RoleName {
  return roleNames[role] ?? "data";
}
