import { setImmediate } from "node:timers/promises";
import type { ConnectError } from "@connectrpc/connect";
import type { CallRecord } from "./call/record.ts";
import type { ShareOwner } from "./http/open-bytes.ts";
import type { ServedMethod } from "./methods.ts";

/** A streaming call that is open, with what its caller was checked by. */
export interface OpenStream extends ShareOwner {
  readonly record: CallRecord;
  readonly served: ServedMethod;
  readonly header: Headers;
  /** Counts it as a stream of a caller without a key, unless it is counted. @throws ConnectError RESOURCE_EXHAUSTED */
  readonly enter?: () => void;
}

/** A check takes about 2 µs, so other calls wait for less than a millisecond. */
const checksPerIteration = 256;

/** The streaming calls of a gateway, which may be open for ever. */
export class OpenStreams {
  readonly #open = new Set<OpenStream>();

  add(stream: OpenStream): void {
    this.#open.add(stream);
  }

  delete(stream: OpenStream): void {
    this.#open.delete(stream);
  }

  endAll(reason: ConnectError): void {
    for (const stream of [...this.#open]) stream.cut(reason);
  }

  /** Ends the streams that the check refuses by throwing. */
  async recheck(check: (stream: OpenStream) => void): Promise<void> {
    let checked = 0;
    for (const stream of [...this.#open]) {
      if (++checked % checksPerIteration === 0) await setImmediate();
      if (!this.#open.has(stream)) continue;
      try {
        check(stream);
      } catch (error) {
        stream.cut(error as ConnectError);
      }
    }
  }
}
