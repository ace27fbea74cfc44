import type { Call } from "../call/call.ts";
import type { RequestHead, Standing } from "../http/request-head.ts";
import type { BoundVariable, RestBinding } from "./bindings.ts";
import { readVariable } from "./path/template.ts";
import { queryValue } from "./query.ts";

/** Asks the method who calls; `segments` and `query` are those of the request. Undefined: every caller is known. */
export type AdmitRequest = (call: Call, segments: readonly string[], query: string) => Standing;

export function compileAdmit({ served, variables }: RestBinding): AdmitRequest | undefined {
  const { admit } = served;
  return admit && ((call, segments, query) => admit(headOf(call, variables, segments, query)));
}

function headOf(
  call: Call,
  variables: readonly BoundVariable[],
  segments: readonly string[],
  query: string,
): RequestHead {
  return {
    header: call.requestHeader,
    caller: call.record.caller,
    path(field) {
      const bound = variables.find(({ parameter }) => parameter.name === field);
      return bound && readVariable(bound.variable, segments);
    },
    query: (name) => queryValue(query, name),
  };
}
