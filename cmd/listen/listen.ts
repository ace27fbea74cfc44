import { once } from "node:events";
import { openReceiver, type ReceiverOptions, secretOf } from "../client/receiver.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { openListener } from "./server.ts";
import { formatSeen } from "./table.ts";

export interface ListenOptions extends ReceiverOptions {
  readonly port: number;
  readonly forward?: string;
  /** Counted from 1. */
  readonly fail: readonly number[];
  readonly returnCode: number;
  readonly status: number;
  readonly emptyBody?: true;
  readonly delay?: number;
  readonly json?: true;
}

interface Process extends NodeJS.EventEmitter {
  readonly stdout: NodeJS.WritableStream;
}

/** Concurrent forwarded requests. */
const maxForwarded = 64;

/** Prints requests until a signal arrives. @throws UserError, or Error when the port cannot be opened */
export async function runListen(options: ListenOptions, process: Process): Promise<void> {
  const { stdout } = process;
  const { forward, fail, returnCode, status, emptyBody = false, delay = 0, json } = options;
  const secret = secretOf(options);
  using target = forward === undefined ? undefined : openReceiver(forward, options, maxForwarded);
  const listener = await openListener({
    port: options.port,
    secret,
    headerName: options.headerName,
    response: { fail, returnCode, status, isEmpty: emptyBody },
    delayMs: delay,
    exchange: target?.exchange,
    onSeen: (seen) => writeForeign(stdout, json ? `${JSON.stringify(seen)}\n` : formatSeen(seen)),
  });
  await using _listener = listener;
  const verified = secret === undefined ? "signatures are not verified" : "signatures are verified";
  if (!json) stdout.write(`listening on ${listener.url}, ${verified}; press Ctrl-C to stop\n`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
}
