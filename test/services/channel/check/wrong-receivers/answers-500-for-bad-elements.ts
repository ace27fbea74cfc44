import { createReceiver, json, rightSteps } from "../receiver.ts";

const { answer } = rightSteps();

/** A bad element is an exception that nobody catches. */
export const receiver = createReceiver({
  answer: (failures) => (failures.length > 0 ? json(500, { error: "internal" }) : answer(failures)),
});
