import { Transform } from "node:stream";
import type { WriteStream } from "node:tty";
import { SingleBar } from "cli-progress";

const lineEnd = 10;

/**
 * Passes a download through and shows its progress on stderr, if that is a terminal
 * and the rows do not go to one.
 * @param stdout the output of the rows, if they are printed
 */
export function countDownload(
  stdout: { readonly isTTY?: boolean } | undefined,
  stderr: WriteStream,
): { readonly stream: Transform; readonly stop: () => void } {
  const isShown = stderr.isTTY === true && stdout?.isTTY !== true;
  const bar = isShown
    ? new SingleBar({
        stream: stderr,
        // The total is unknown.
        format: "{value} lines, {mebibytes} MiB | {duration_formatted}",
        clearOnComplete: true,
      })
    : undefined;
  let bytes = 0;
  let lines = 0;
  bar?.start(0, 0, { mebibytes: "0.0" });
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) lines++;
      bar?.update(lines, { mebibytes: (bytes / 1_048_576).toFixed(1) });
      done(null, chunk);
    },
  });
  return { stream, stop: () => bar?.stop() };
}
