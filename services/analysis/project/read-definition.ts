import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { JsonReading } from "../../../base/rpc/json-reading.ts";
import { decodeMessage } from "../rest/decode-message.ts";

/** Reads a definition of the configuration, which has the form of REST bodies. @throws Error with all faults */
export function readDefinition<Desc extends DescMessage>(desc: Desc, body: unknown): MessageShape<Desc> {
  const reading = new JsonReading();
  const message = decodeMessage(desc, body, reading);
  const faults = faultsOf(reading);
  if (faults.length > 0) throw new Error(faults.join("; "));
  return message as unknown as MessageShape<Desc>;
}

/** Returns one text for each fault, with the member's path. */
export function findFaults(desc: DescMessage, body: unknown): readonly string[] {
  const reading = new JsonReading();
  decodeMessage(desc, body, reading);
  return faultsOf(reading);
}

function faultsOf(reading: JsonReading): readonly string[] {
  return [
    ...reading.faults().map(({ field, description }) => `${field}: ${description}`),
    ...reading.ignored().map((path) => `${path} is unknown`),
  ];
}
