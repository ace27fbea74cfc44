import { chmodSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";

/** The limit of most systems is 107 bytes or less. */
const maxSocketBytes = 100;

/** Whether no socket can have this path. */
export const isTooLong = (path: string): boolean => Buffer.byteLength(path) > maxSocketBytes;

/**
 * Listens on a socket in the data folder, which only this user can open. The caller holds the folder, so a socket that
 * is there was left by a process that was killed.
 */
export async function listenOnSocket(path: string, listener: RequestListener): Promise<AsyncDisposable> {
  const server = createServer(listener);
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  server.unref();
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
