/** Headers as Node gives them to its session, and their count. */
export type HeaderBlock = readonly [text: string, count: number];

export const noHeaders: HeaderBlock = ["", 0];

/** Adds a header whose name and value can be sent. The last byte is its flags. */
export function withHeader([text, count]: HeaderBlock, name: string, value: string): HeaderBlock {
  return [`${text}${name}\0${value}\0\0`, count + 1];
}
