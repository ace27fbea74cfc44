import { formatPlace, type Place, placeOf } from "./place.ts";

/** What is wrong with a JSON text, and where. The message says both. */
export class JsonFault extends Error {
  override readonly name = "JsonFault";
  readonly place: Place;

  constructor(problem: string, bytes: Uint8Array, byte: number) {
    const place = placeOf(bytes, byte);
    super(`${problem} at ${formatPlace(place)}`);
    this.place = place;
  }
}

/** The byte as messages name it. */
export function describeByte(bytes: Uint8Array, at: number): string {
  const byte = bytes[at];
  if (byte === undefined) return "the end of the text";
  if (byte > 0x20 && byte < 0x7f) return JSON.stringify(String.fromCharCode(byte));
  return byte < 0x80 ? `byte 0x${byte.toString(16).padStart(2, "0")}` : "a character beyond ASCII";
}
