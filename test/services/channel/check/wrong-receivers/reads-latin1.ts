import { createReceiver, hmacs, signatureOf } from "../receiver.ts";

/** The body was decoded by another character set before it is verified. */
export const receiver = createReceiver({
  isSigned: (request) => hmacs(request.body.toString("latin1")).includes(signatureOf(request).toLowerCase()),
});
