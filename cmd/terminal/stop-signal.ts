import { StoppedError } from "./user-error.ts";

/** Returns a signal that Ctrl-C aborts with a message. A second Ctrl-C ends the process at once. */
export function stopSignal(message: string): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort(new StoppedError(message)));
  return controller.signal;
}
