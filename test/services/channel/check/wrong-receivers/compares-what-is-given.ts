import { createReceiver, hmacs, signatureOf } from "../receiver.ts";

/** The signature is compared for as long as the header is. */
export const receiver = createReceiver({
  isSigned: (request) =>
    request.headers["x-svc-ops-signature"] !== undefined &&
    hmacs(request.body).some((right) => right.startsWith(signatureOf(request).toLowerCase())),
});
