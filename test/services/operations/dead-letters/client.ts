import { type Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { DeadLetters } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { createDeadLetters } from "../../../../services/operations/dead-letters/dead-letters.ts";
import type { DeadLetterSources } from "../../../../services/operations/dead-letters/kinds.ts";
import {
  createEmptySource,
  type DeadLetterSource,
  type FoundDeadLetter,
} from "../../../../services/operations/dead-letters/source.ts";

export const letter: FoundDeadLetter = {
  id: "1.2",
  timeMs: 5,
  reason: "invalid_json",
  message: "no JSON",
  lines: 1,
  content: "a line",
  isIncomplete: false,
};

const empty = createEmptySource("there are none");

/** A client of the service over sources without dead letters, but for what is given. */
export function clientOf(parser: Partial<DeadLetterSource>, others: Partial<DeadLetterSources> = {}) {
  const own = { ...empty, replayObstacle: undefined, fields: ["index"] as const, ...parser };
  const sources = { webhook: empty, click: empty, record: empty, parser: own, ...others };
  const service = createDeadLetters({ sources, now: () => 1_000, monotonicMs: () => 0 });
  return createClient(
    DeadLetters,
    createRouterTransport((router) => router.service(DeadLetters, service)),
  );
}

export async function refusal(call: Promise<unknown>): Promise<readonly [Code, string]> {
  const error = ConnectError.from(
    await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    ),
  );
  return [error.code, error.rawMessage];
}
