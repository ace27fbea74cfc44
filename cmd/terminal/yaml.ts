import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { stringify } from "yaml";
import { type Output, writeForeign } from "./terminal.ts";

/** Prints a message as YAML with the names of the contract, as files of messages are written. */
export function writeYaml<D extends DescMessage>(stdout: Output, schema: D, message: MessageShape<D>): void {
  const json = toJson(schema, message, { useProtoFieldName: true });
  writeForeign(stdout, stringify(json, { lineWidth: 0 }));
}
