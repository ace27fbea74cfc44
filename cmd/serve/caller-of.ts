import type { HandlerContext } from "@connectrpc/connect";
import { recordOf } from "../../gateway/call/record.ts";

/** The name of an authenticated caller; undefined for one that nobody asked for a name. */
export function callerOf({ values }: Pick<HandlerContext, "values">): string | undefined {
  const { kind, name } = recordOf(values).caller;
  return kind === "anonymous" ? undefined : name;
}
