import { attribute, messagingSystem, ownAttribute } from "../../../base/trace/attributes.ts";
import type { SpanOptions } from "../../../base/trace/trace.ts";

/** The name of the span in which a run begins; the requests to its receiver are below it. */
export const runSpanName = "start run";

export function runSpan(taskId: string): SpanOptions {
  return {
    kind: "producer",
    attributes: {
      [attribute.messagingSystem]: messagingSystem,
      [attribute.messagingOperation]: "start run",
      [attribute.messagingOperationType]: "create",
      [ownAttribute.task]: taskId,
    },
  };
}
