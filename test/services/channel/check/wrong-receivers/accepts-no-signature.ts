import { createReceiver, hmac, signatureOf } from "../receiver.ts";

/** A signature is checked only when there is one. */
export const receiver = createReceiver({
  isSigned: (request) => ["", hmac(request.body)].includes(signatureOf(request).toLowerCase()),
});
