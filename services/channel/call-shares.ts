import { Code, type HandlerContext } from "@connectrpc/connect";
import { createFairSlots } from "../../base/async/fair-slots.ts";
import { retryLater } from "../../base/rpc/map-errors.ts";

/** Runs the work of a call when it is its caller's turn. @throws ConnectError RESOURCE_EXHAUSTED */
export type InTurn = <T>(
  context: Pick<HandlerContext, "signal" | "values">,
  projectId: bigint,
  work: () => Promise<T>,
) => Promise<T>;

export interface TurnLimits {
  /** What the calls do, for messages. */
  readonly what: string;
  readonly maxRunning: number;
  readonly maxWaiting: number;
}

/**
 * Bounds calls that are heavy, or that servers outside have to answer: at most
 * `maxRunning` of one caller run and `maxWaiting` wait, and callers take turns.
 * @param callerOf the name of an authenticated caller; undefined: callers have no names
 */
export function createInTurn(
  { what, maxRunning, maxWaiting }: TurnLimits,
  callerOf: (context: Pick<HandlerContext, "values">) => string | undefined,
): InTurn {
  const slots = createFairSlots({
    maxRunning,
    maxWaiting,
    reserved: maxRunning,
    refuse({ running, waiting }) {
      const message = `${running} ${what} run and ${waiting} wait, try again later`;
      return retryLater(message, 5_000, { code: Code.ResourceExhausted });
    },
  });
  return async (context, projectId, work) => {
    const sharer = { group: String(projectId), member: callerOf(context) ?? "" };
    const giveBack = await slots.take(sharer, context.signal);
    try {
      return await work();
    } finally {
      giveBack();
    }
  };
}
