import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { type Draft, formFieldsOf } from "./draft.ts";
import { findFault, type LimitText, limitsOf } from "./limits.ts";

/** The faults of a form by the path of the field in the contract, such as `delivery.batch_size`. */
export type Faults<Fault = string> = ReadonlyMap<string, Fault>;

/** Finds what is wrong with a draft before it is sent. @param isStored whether the server has the value of a secret */
export function checkDraft(
  desc: DescMessage,
  draft: Draft,
  isStored: (path: string) => boolean = () => false,
  path = "",
): Faults<LimitText> {
  const found = new Map<string, LimitText>();
  for (const field of formFieldsOf(desc)) {
    const value = draft[field.localName];
    const at = joinPath(path, field.name);
    if (typeof value === "string") {
      const fault =
        limitsOf(field).secret && value === "" && isStored(at) ? undefined : findFault(field, value);
      if (fault !== undefined) found.set(at, fault);
    } else if (field.message !== undefined && Array.isArray(value)) {
      const { maxItems } = limitsOf(field);
      const rows = value as readonly Draft[];
      if (maxItems > 0 && rows.length > maxItems) {
        found.set(at, {
          key: "form.fault.items",
          values: { count: String(rows.length), max: String(maxItems) },
        });
      }
      for (const [i, one] of rows.entries()) {
        for (const entry of checkDraft(field.message, one, isStored, `${at}[${i}]`)) found.set(...entry);
      }
    } else if (field.fieldKind === "message" && value !== undefined) {
      for (const entry of checkDraft(field.message, value as Draft, isStored, at)) found.set(...entry);
    }
  }
  return found;
}

function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** Finds what is wrong with the texts of some fields of a request, by the names of the fields. */
export function findFaults(...entered: readonly (readonly [DescField, string])[]): Faults<LimitText> {
  return new Map(
    entered.flatMap(([field, text]) => {
      const fault = findFault(field, text);
      return fault === undefined ? [] : [[field.name, fault] as const];
    }),
  );
}

/** Returns the faults that the server found, by the paths in a message which has this name in the request. */
export function faultsIn(error: unknown, message: string): Faults {
  const found = new Map<string, string>();
  for (const { fieldViolations } of ConnectError.from(error).findDetails(BadRequestSchema)) {
    for (const { field, description } of fieldViolations) {
      const path = field === message ? "" : field.replace(new RegExp(`^${message}(?:\\.|(?=\\[))`), "");
      // The description is a sentence that begins with the field, beside which it stands here.
      const fault = description.startsWith(`${field} `) ? description.slice(field.length + 1) : description;
      if (!found.has(path)) found.set(path, fault);
    }
  }
  return found;
}

/** Returns the faults of a part, by the paths within it. */
export function faultsOf<Fault>(faults: Faults<Fault>, place: string): Faults<Fault> {
  const inside = [...faults].filter(([path]) => path.startsWith(`${place}.`) || path.startsWith(`${place}[`));
  return new Map(inside.map(([path, fault]) => [path.slice(place.length).replace(/^\./, ""), fault]));
}
