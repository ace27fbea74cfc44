import { createReceiver, json, type ReceiverAnswer } from "../receiver.ts";

const answers = new Map<string, ReceiverAnswer | "in work">();

/** While the first copy is in work, others fail. */
export const receiver = createReceiver({
  async once(requestId, work) {
    if (requestId === undefined) return work();
    const known = answers.get(requestId);
    if (known === "in work") return json(409, { return_code: 1, return_message: "in work" });
    if (known !== undefined) return known;
    answers.set(requestId, "in work");
    const answer = await work();
    answers.set(requestId, answer);
    return answer;
  },
  work: () => new Promise((resolve) => setTimeout(resolve, 20)),
});
