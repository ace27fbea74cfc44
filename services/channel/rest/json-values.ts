import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { BigNumber } from "../../../base/json/exact-numbers.ts";
import type { Violation } from "../../../base/rpc/invalid-fields.ts";

/** JSON of a caller, as proto3 JSON without what is wrong. */
export interface ReadJson {
  readonly json: JsonValue;
  readonly violations: readonly Violation[];
}

export function isObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json) && !isBig(json);
}

/** A number that no double holds, of which the gateway keeps the digits. */
export function isBig(json: unknown): json is BigNumber {
  return json instanceof BigNumber;
}

/** The path of a member of a message. */
export function pathOf(at: string, name: string): string {
  return at === "" ? name : `${at}.${name}`;
}
