import { createReceiver, json, rightSteps } from "../receiver.ts";

const { answer } = rightSteps();

/** Fails with an uncaught exception for a bad element. */
export const receiver = createReceiver({
  answer: (failures) => (failures.length > 0 ? json(500, { error: "internal" }) : answer(failures)),
});
