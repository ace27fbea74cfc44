import type { Message } from "@bufbuild/protobuf";

const keptBytes = new WeakMap<Message, Uint8Array>();

/** Has an answer written over REST as these bytes, exactly, in place of what its codec makes of the message. */
export function keepAnswerBytes<M extends Message>(answer: M, bytes: Uint8Array): M {
  keptBytes.set(answer, bytes);
  return answer;
}

/** Undefined when the codec writes the answer. */
export function answerBytesOf(answer: Message): Uint8Array | undefined {
  return keptBytes.get(answer);
}
