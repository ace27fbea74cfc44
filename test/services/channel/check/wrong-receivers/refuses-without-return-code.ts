import { createReceiver } from "../receiver.ts";

const right = createReceiver();

/** Refusals are the framework's. */
export const receiver: typeof right = async (request) => {
  const given = await right(request);
  return given.status === 400 ? { status: 400, text: "Bad Request" } : given;
};
