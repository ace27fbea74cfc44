import { existsSync } from "node:fs";
import { request, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { Logger } from "pino";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import { errorMessage } from "../../../base/text/system-error.ts";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../terminal/user-error.ts";
import { isTooLong, listenOnSocket } from "../data/folder-socket.ts";

/** The socket in the data folder through which `engage backup` asks a running server to hold its files. */
const socketOf = ({ data }: Pick<Config, "data">): string => join(data, "backup.sock");

/**
 * Lets `engage backup` copy the data folder while this process uses it: the files are held as long as the call is open.
 * Without a socket, which a long path prevents, the server has to be stopped for a backup.
 */
export async function serveHolds(
  config: Pick<Config, "data">,
  holds: Pick<FileHolds, "hold">,
  logger: Pick<Logger, "info" | "warn">,
): Promise<AsyncDisposable> {
  const path = socketOf(config);
  // A server that stores nothing makes no folder.
  if (isTooLong(path) || !existsSync(config.data)) return { async [Symbol.asyncDispose]() {} };
  try {
    return await listenOnSocket(path, (_call, response) => void respond(holds, response, logger));
  } catch (error) {
    logger.warn({ err: error }, "engage backup cannot copy the data folder while this server runs");
    return { async [Symbol.asyncDispose]() {} };
  }
}

async function respond(
  holds: Pick<FileHolds, "hold">,
  response: ServerResponse,
  logger: Pick<Logger, "info" | "warn">,
): Promise<void> {
  const leaving = new AbortController();
  const left = Promise.withResolvers<void>();
  response.once("close", () => {
    leaving.abort();
    left.resolve();
  });
  try {
    const release = await holds.hold();
    const startMs = performance.now();
    if (!leaving.signal.aborted) response.writeHead(200).write("held\n");
    await left.promise;
    await release();
    const ms = Math.round(performance.now() - startMs);
    logger.info({ ms }, "a backup was made; records were accepted and not loaded meanwhile");
  } catch (error) {
    logger.warn({ err: error }, "the files cannot be held for a backup");
    response.writeHead(500).end(errorMessage(error));
  }
}

/** Files of a running server that stay as they are until this is disposed. */
export interface HeldFiles extends AsyncDisposable {
  /** @throws UserError when the server has ended since */
  check(): void;
}

/**
 * Lets the server that runs on this data folder hold its files. Returns undefined when none listens.
 * @throws UserError when the server cannot
 */
export function holdServed(config: Pick<Config, "data">): Promise<HeldFiles | undefined> {
  const path = socketOf(config);
  if (isTooLong(path)) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: path, agent: false }, (response) => {
      let isOver = false;
      response.once("close", () => {
        isOver = true;
      });
      if (response.statusCode === 200) {
        response.once("data", () => resolve(heldUntil(call.destroy.bind(call), () => isOver)));
        // Destroying the call, or the end of the server.
        response.on("error", () => {});
        return;
      }
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => reject(new UserError(`the running server cannot hold its files: ${text}`)));
    });
    call.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") return resolve(undefined);
      const message = `the running server cannot be asked to hold its files: ${errorMessage(error)}`;
      reject(new UserError(message, { cause: error }));
    });
    call.end();
  });
}

function heldUntil(release: () => unknown, isOver: () => boolean): HeldFiles {
  return {
    check() {
      if (isOver()) throw new UserError("the server ended while its files were copied: run the backup again");
    },
    async [Symbol.asyncDispose]() {
      release();
    },
  };
}
