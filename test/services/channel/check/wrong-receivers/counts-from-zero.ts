import { createReceiver, rightSteps } from "../receiver.ts";

const { answer } = rightSteps();

/** Indexes are those of the language's arrays. */
export const receiver = createReceiver({
  answer: (failures) => answer(failures.map(({ index, message }) => ({ index: index - 1, message }))),
});
