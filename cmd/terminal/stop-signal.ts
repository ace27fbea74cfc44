import { StoppedError } from "./user-error.ts";

/** Aborted by Ctrl-C, with what is said then. A second Ctrl-C ends the process at once. */
export function stopSignal(message: string): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort(new StoppedError(message)));
  return controller.signal;
}
