import { createReceiver, hmac, signatureOf } from "../receiver.ts";

/** The old secret is taken away as soon as there is a new one. */
export const receiver = createReceiver({
  isSigned: (request) => signatureOf(request).toLowerCase() === hmac(request.body),
});
