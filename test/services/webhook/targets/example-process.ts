import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { createOutbound } from "../../../../base/net/outbound.ts";
import { createGrpcTarget } from "../../../../services/webhook/targets/grpc.ts";
import type { TargetOutcome } from "../../../../services/webhook/targets/target.ts";
import { handedBatch, messageJson } from "../handed.ts";

export interface ExampleRun {
  readonly outcomes: readonly TargetOutcome[];
  /** The output of the example while it handled the messages. */
  readonly lines: readonly string[];
}

/** Runs an example handler on a port of its own choice and hands it two messages, one without a title. */
export async function runExample(command: string, args: readonly string[]): Promise<ExampleRun> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const printed = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  try {
    const { value: first } = await printed.next();
    const port = /^listening on port (\d+)$/.exec(String(first))?.[1];
    await using target = createGrpcTarget({
      url: `http://127.0.0.1:${port}`,
      bearer: undefined,
      tls: {},
      maxMessages: 500,
      maxAnswerBytes: 65_536,
      outbound: createOutbound({ allow: ["127.0.0.0/8"] }),
    });
    const messages = [messageJson("ann", "{}", '{"title":"Grüße"}'), messageJson("bob", "{}", "{}")];
    const outcomes = await target.deliver(handedBatch(messages), AbortSignal.timeout(20_000));
    const { value: line } = await printed.next();
    return { outcomes, lines: [String(line)] };
  } finally {
    child.kill();
    await exited;
  }
}

export const expectedRun: ExampleRun = {
  outcomes: [{ kind: "done" }, { kind: "dead", reason: "title is missing" }],
  lines: ["to ann: Grüße"],
};
