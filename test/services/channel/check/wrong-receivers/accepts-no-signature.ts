import { createReceiver, hmacs, signatureOf } from "../receiver.ts";

/** A signature is checked only when there is one. */
export const receiver = createReceiver({
  isSigned: (request) => ["", ...hmacs(request.body)].includes(signatureOf(request).toLowerCase()),
});
