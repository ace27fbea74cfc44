import { existsSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { Logger } from "pino";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import { errorMessage } from "../../../base/text/system-error.ts";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../terminal/user-error.ts";
import { isTooLong, listenOnSocket } from "../data/folder-socket.ts";

/** The socket in the data folder through which `engage backup` asks a running server to hold its files. */
const socketOf = ({ data }: Pick<Config, "data">): string => join(data, "backup.sock");

/** The path that only asks whether a server runs. */
const presencePath = "/presence";

/** A copy takes minutes. One that hangs must not keep records from being loaded until someone sees it. */
const defaultMaxHoldMs = 2 * 60 * 60_000;
/** Ends the response when the server does not wait for the copy any more. */
const expiredLine = "expired\n";

export interface HoldOptions {
  readonly holds: Pick<FileHolds, "hold">;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** How long one call holds the files. Default: 2 hours. */
  readonly maxHoldMs?: number | undefined;
}

/**
 * Lets `engage backup` copy the data folder while this process uses it: the files are held as long as the call is open,
 * up to a limit. Without a socket, which a long path prevents, the server has to be stopped for a backup.
 */
export async function serveHolds(
  config: Pick<Config, "data">,
  options: HoldOptions,
): Promise<AsyncDisposable> {
  const path = socketOf(config);
  // A server that stores nothing makes no folder.
  if (isTooLong(path) || !existsSync(config.data)) return { async [Symbol.asyncDispose]() {} };
  try {
    return await listenOnSocket(path, (call, response) => {
      if (call.url === presencePath) response.writeHead(204).end();
      else void respond(options, response);
    });
  } catch (error) {
    options.logger.warn({ err: error }, "engage backup cannot copy the data folder while this server runs");
    return { async [Symbol.asyncDispose]() {} };
  }
}

async function respond(
  { holds, logger, maxHoldMs = defaultMaxHoldMs }: HoldOptions,
  response: ServerResponse,
): Promise<void> {
  const left = Promise.withResolvers<"left">();
  let hasLeft = false;
  response.once("close", () => {
    hasLeft = true;
    left.resolve("left");
  });
  try {
    const release = await holds.hold();
    // It may have waited for the copy of another call.
    if (hasLeft) return await release();
    const startMs = performance.now();
    logger.info("files are held for a copy; records are accepted and not loaded meanwhile");
    response.writeHead(200).write("held\n");
    const expiry = createTimeout(maxHoldMs);
    const end = await Promise.race([left.promise, expiry.promise]);
    expiry.cancel();
    await release();
    const ms = Math.round(performance.now() - startMs);
    if (end === "left") return logger.info({ ms }, "files are no longer held");
    logger.warn({ ms }, "files are no longer held, although their copy has not ended: it has taken too long");
    response.end(expiredLine);
  } catch (error) {
    logger.warn({ err: error }, "the files cannot be held for a backup");
    response.writeHead(500).end(errorMessage(error));
  }
}

function createTimeout(ms: number): { readonly promise: Promise<"expired">; cancel(): void } {
  const { promise, resolve } = Promise.withResolvers<"expired">();
  const timer = setTimeout(() => resolve("expired"), ms);
  return { promise, cancel: () => clearTimeout(timer) };
}

/** Files of a running server that stay as they are until this is disposed. */
export interface HeldFiles extends AsyncDisposable {
  /** @throws UserError when the server has ended since, or has stopped waiting */
  check(): void;
}

/**
 * Lets the server that runs on this data folder hold its files. Returns undefined when none listens.
 * @throws UserError when the server cannot
 */
export function holdServed(config: Pick<Config, "data">): Promise<HeldFiles | undefined> {
  return callServer(config, "/", followHold);
}

/**
 * Returns whether a server runs on this data folder, and holds nothing.
 * @throws UserError when it cannot be asked
 */
export async function isServed(config: Pick<Config, "data">): Promise<boolean> {
  const found = await callServer<boolean>(config, presencePath, (call, _response, resolve) => {
    call.destroy();
    resolve(true);
  });
  return found ?? false;
}

type Follow<T> = (call: ClientRequest, response: IncomingMessage, resolve: (found: T) => void) => void;

function followHold(
  call: ClientRequest,
  response: IncomingMessage,
  resolve: (held: HeldFiles) => void,
): void {
  let fault: string | undefined;
  let text = "";
  response.once("close", () => {
    fault ??= "the server ended while its files were copied: run the backup again";
  });
  response.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (text.endsWith(expiredLine)) {
      fault ??= "the copy has taken so long that the server stopped waiting: copy to a faster disk";
    }
    resolve(
      heldUntil(
        () => call.destroy(),
        () => fault,
      ),
    );
  });
}

/** Calls the server of a data folder. Returns undefined when none listens. */
function callServer<T>(
  config: Pick<Config, "data">,
  path: string,
  follow: Follow<T>,
): Promise<T | undefined> {
  const socketPath = socketOf(config);
  if (isTooLong(socketPath)) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path, agent: false }, (response) => {
      if (response.statusCode === 200 || response.statusCode === 204) {
        // Destroying the call, or the end of the server.
        response.on("error", () => {});
        return follow(call, response, resolve);
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

function heldUntil(release: () => unknown, faultOf: () => string | undefined): HeldFiles {
  return {
    check() {
      const fault = faultOf();
      if (fault !== undefined) throw new UserError(fault);
    },
    async [Symbol.asyncDispose]() {
      release();
    },
  };
}
