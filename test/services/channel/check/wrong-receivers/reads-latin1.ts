import { createReceiver, hmac, signatureOf } from "../receiver.ts";

/** The body was decoded by another character set before it is verified. */
export const receiver = createReceiver({
  isSigned: (request) => signatureOf(request).toLowerCase() === hmac(request.body.toString("latin1")),
});
