import { createReceiver, hmac, hmacs, signatureOf } from "../receiver.ts";

/** A variable that is not set is an empty secret beside the others. */
export const receiver = createReceiver({
  isSigned: ({ headers, body }) =>
    [...hmacs(body), hmac(body, "")].includes(signatureOf({ headers, body }).toLowerCase()),
});
