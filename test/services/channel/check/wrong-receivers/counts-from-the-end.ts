import { createReceiver, rightSteps } from "../receiver.ts";

const { answer } = rightSteps();

/** Elements are taken from the end of the list. */
export const receiver = createReceiver({
  answer: (failures, size) =>
    answer(
      failures.map(({ index, message }) => ({ index: size + 1 - index, message })),
      size,
    ),
});
