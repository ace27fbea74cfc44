import { createReceiver } from "../receiver.ts";

/** Every repeat is sent to the users once more. */
export const receiver = createReceiver({ once: (_requestId, work) => work() });
