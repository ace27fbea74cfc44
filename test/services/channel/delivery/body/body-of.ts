import { BodyMemory } from "../../../../../services/channel/delivery/body/body-memory.ts";
import { writeBody } from "../../../../../services/channel/delivery/body/write-body.ts";

/** The body that a payload makes, as text. */
export function bodyOf(payload: Uint8Array): string {
  return Buffer.from(writeBody(payload, new BodyMemory())).toString();
}
