import { createReceiver } from "../receiver.ts";

/** 200 says it all, doesn't it? */
export const receiver = createReceiver({ answer: () => ({ status: 200, text: "" }) });
