import { PassThrough, Readable } from "node:stream";

/** Streams of a command, and what it has written to them. */
export function captureOutput(input = "") {
  const written = { stdout: "", stderr: "" };
  const capture = (name: "stdout" | "stderr") => {
    const stream = new PassThrough();
    stream.on("data", (chunk: Buffer) => (written[name] += chunk.toString()));
    return stream;
  };
  const streams = { stdin: Readable.from([input]), stdout: capture("stdout"), stderr: capture("stderr") };
  return { streams, written };
}
