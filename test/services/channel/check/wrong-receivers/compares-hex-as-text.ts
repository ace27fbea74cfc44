import { createReceiver, hmacs, signatureOf } from "../receiver.ts";

/** Upper case is another text. */
export const receiver = createReceiver({
  isSigned: (request) => hmacs(request.body).includes(signatureOf(request)),
});
