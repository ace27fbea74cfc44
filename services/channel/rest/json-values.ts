import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { BigNumber } from "../../../base/json/exact-numbers.ts";
import type { Violation } from "../../../base/rpc/violation.ts";

/** A body as proto3 JSON, without the invalid members. */
export interface ReadJson {
  readonly json: JsonValue;
  readonly violations: readonly Violation[];
}

export function isObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json) && !isBig(json);
}

/** Whether it is a number beyond 2^53, whose digits the gateway keeps. */
export function isBig(json: unknown): json is BigNumber {
  return json instanceof BigNumber;
}

/** Returns the path of a member of a message. */
export function pathOf(at: string, name: string): string {
  return at === "" ? name : `${at}.${name}`;
}
