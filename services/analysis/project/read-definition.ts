import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { decodeMessage } from "../rest/decode-message.ts";
import { Reading } from "../rest/reading.ts";

/** Reads what the configuration declares in the form of REST bodies. @throws Error naming all that is wrong */
export function readDefinition<Desc extends DescMessage>(desc: Desc, body: unknown): MessageShape<Desc> {
  const reading = new Reading();
  const message = decodeMessage(desc, body, reading);
  const faults = faultsOf(reading);
  if (faults.length > 0) throw new Error(faults.join("; "));
  return message as unknown as MessageShape<Desc>;
}

/** One text for each fault, with the member's path; empty when the body is good. */
export function findFaults(desc: DescMessage, body: unknown): readonly string[] {
  const reading = new Reading();
  decodeMessage(desc, body, reading);
  return faultsOf(reading);
}

function faultsOf(reading: Reading): readonly string[] {
  return [
    ...reading.violations.map(({ field, description }) => `${field}: ${description}`),
    ...reading.ignored().map((path) => `${path} is unknown`),
  ];
}
