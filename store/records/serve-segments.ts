import type { MessagePort } from "node:worker_threads";
import { wordError } from "../../base/text/system-error.ts";
import { createRollingSegments, type RollingOptions, type SpoolPosition } from "./rolling-segments.ts";
import { syncFiles } from "./sync-files.ts";

/** What the thread is started with. */
export type SegmentsSetup = Pick<RollingOptions, "folder" | "maxFileBytes" | "after" | "checksums" | "mark">;

/** One at a time; each is answered. */
export type ToSegments = { readonly kind: "append"; readonly bytes: Uint8Array } | { readonly kind: "close" };

export type FromSegments =
  | { readonly kind: "torn"; readonly file: string; readonly bytes: number }
  | { readonly kind: "appended"; readonly end: SpoolPosition }
  | { readonly kind: "failed"; readonly message: string };

/** Appends what it is sent until it is told to close, after which the thread ends. */
export function serveSegments(port: MessagePort, setup: SegmentsSetup): void {
  const tell = (message: FromSegments): void => port.postMessage(message);
  const segments = createRollingSegments({
    ...setup,
    fileSystem: syncFiles,
    torn: (file, bytes) => tell({ kind: "torn", file, bytes }),
  });
  port.on("message", async (message: ToSegments) => {
    if (message.kind === "close") {
      await segments.close();
      port.close();
      return;
    }
    try {
      tell({ kind: "appended", end: await segments.append([message.bytes]) });
    } catch (error) {
      tell({ kind: "failed", message: wordError(error) });
    }
  });
}
