import { createReceiver, hmac, signatureOf } from "../receiver.ts";

/** Upper case is another text. */
export const receiver = createReceiver({
  isSigned: (request) => signatureOf(request) === hmac(request.body),
});
