import { isMainThread, threadId } from "node:worker_threads";

/** A module format whose lines say what goes wrong. */
export function parse(line: string): object {
  const text = line.trim();
  if (text === "exit" && !isMainThread) process.exit(3);
  if (text === "memory" && !isMainThread) {
    const held: number[][] = [];
    for (;;) held.push(new Array<number>(100_000).fill(held.length));
  }
  if (text === "forever" && !isMainThread) for (;;);
  if (text === "throw") throw new Error("no such line");
  if (text === "thread") return { "#type": "track", properties: { text: `thread ${threadId}` } };
  return { "#type": "track", properties: { text } };
}
