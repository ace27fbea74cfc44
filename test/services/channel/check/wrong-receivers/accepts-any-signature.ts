import { createReceiver, signatureOf } from "../receiver.ts";

/** Requires the header, but does not compare it. */
export const receiver = createReceiver({ isSigned: (request) => signatureOf(request) !== "" });
