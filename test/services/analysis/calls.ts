import { ConnectError } from "@connectrpc/connect";
import { expect } from "vitest";
import type { AnalysisEngine } from "../../../services/analysis/engine.ts";

export const typed = { projectId: 1n, eventView: {}, events: [] };

export async function errorOf(call: Promise<unknown>): Promise<ConnectError> {
  return await call.then(
    () => expect.unreachable("the call is refused"),
    (error: unknown) => ConnectError.from(error),
  );
}

export const failing = (error: unknown): Partial<AnalysisEngine> => ({
  analyze: () => Promise.reject(error),
});
