import { request, type ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { errorMessage } from "../../../base/text/system-error.ts";
import {
  type ContentsReader,
  PartChangedError,
  type ProjectContents,
  type StoredPart,
} from "../../../store/events/contents.ts";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../terminal/user-error.ts";
import { isTooLong, listenOnSocket } from "../data/folder-socket.ts";

const partSchema = z.looseObject({ projectId: z.int(), name: z.string(), stamp: z.string() });
const changed = 409;

/** The socket in the data folder through which a command reads the store of a running server. */
const socketOf = ({ data }: Pick<Config, "data">): string => join(data, "events", "contents.sock");

/**
 * Lets commands of this user read the store while this process holds it, over a socket in the data folder. Without
 * such a socket, which a long path prevents, the server has to be stopped for that.
 */
export async function serveContents(
  config: Pick<Config, "data">,
  open: () => Promise<ContentsReader>,
): Promise<AsyncDisposable> {
  const path = socketOf(config);
  if (isTooLong(path)) return { async [Symbol.asyncDispose]() {} };
  return await listenOnSocket(path, (call, response) => {
    const chunks: Buffer[] = [];
    call.on("data", (chunk: Buffer) => chunks.push(chunk));
    call.on("end", () => void respond(open, Buffer.concat(chunks).toString(), response));
  });
}

/** An empty body asks for the contents, another one is the part to read. */
async function respond(
  open: () => Promise<ContentsReader>,
  body: string,
  response: ServerResponse,
): Promise<void> {
  const leaving = new AbortController();
  response.once("close", () => leaving.abort());
  try {
    const reader = await open();
    if (body === "") {
      response.end(JSON.stringify(await reader.contents()));
      return;
    }
    const part = partSchema.parse(JSON.parse(body)) as unknown as StoredPart;
    const text = textOf(reader.readPart(part, leaving.signal));
    // An error before the first line becomes a response.
    const first = await text.next();
    await pipeline(Readable.from(continued(first, text)), response);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else response.writeHead(error instanceof PartChangedError ? changed : 500).end(errorMessage(error));
  }
}

async function* continued(
  first: IteratorResult<string, void>,
  text: AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
  if (first.done === true) return;
  yield first.value;
  yield* text;
}

/** The last line is empty, so that the reader knows that no line is missing. */
async function* textOf(lines: AsyncIterable<readonly string[]>): AsyncGenerator<string, void> {
  for await (const some of lines) if (some.length > 0) yield `${some.join("\n")}\n`;
  yield "\n";
}

/** Reads the store of a server that runs on this data folder. @throws UserError when it cannot be reached */
export function readServed(config: Pick<Config, "data">): ContentsReader {
  const path = socketOf(config);
  if (isTooLong(path)) {
    const message = `the path ${JSON.stringify(path)} is too long for a socket, so stop the server first`;
    throw new UserError(message);
  }
  return {
    async contents() {
      let text = "";
      for await (const chunk of await ask(path, "")) text += chunk;
      return JSON.parse(text) as readonly ProjectContents[];
    },
    async *readPart(part, signal) {
      const response = await ask(path, JSON.stringify(part), signal);
      let rest = "";
      let isComplete = false;
      // Not `readline`, for which some characters of records end a line.
      for await (const chunk of response as AsyncIterable<string>) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop()!;
        isComplete = lines.at(-1) === "";
        yield isComplete ? lines.slice(0, -1) : lines;
      }
      signal.throwIfAborted();
      if (!isComplete) throw new UserError("the server ended while it was read");
    },
  };
}

function ask(path: string, body: string, signal?: AbortSignal): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: path, method: "POST", ...(signal && { signal }) }, (response) => {
      if (response.statusCode === 200) return resolve(response.setEncoding("utf8"));
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () =>
        reject(response.statusCode === changed ? new PartChangedError(text) : new UserError(text)),
      );
    });
    call.on("error", (error) => {
      const message = `the store of the running server cannot be read: ${errorMessage(error)}`;
      reject(new UserError(message, { cause: error }));
    });
    call.end(body);
  });
}
