import { createReceiver, hmacs, type ReceiverRequest, signatureOf } from "../receiver.ts";

/** The framework has parsed the body already, so it is written again to be verified. */
export const receiver = createReceiver({
  isSigned: (request) => hmacs(rewrite(request)).includes(signatureOf(request).toLowerCase()),
});

function rewrite({ body }: ReceiverRequest): string {
  try {
    return JSON.stringify(JSON.parse(body.toString()));
  } catch {
    return body.toString();
  }
}
