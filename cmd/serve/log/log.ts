import { isatty } from "node:tty";
import { type DestinationStream, type Logger, pino, stdSerializers } from "pino";
import { describeSystemError, errorMessage } from "../../../base/text/system-error.ts";
import { type LogDestination, openLogDestination } from "./destination.ts";
import { maskSensitive } from "./mask.ts";
import { toText } from "./text.ts";

export interface LogConfig {
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  /** Writes text instead of JSON. Default: whether the descriptor is a terminal. */
  readonly pretty?: boolean | undefined;
}

export interface Log extends AsyncDisposable {
  readonly logger: Logger;
  /** Writes all pending lines before it returns. */
  flushSync(): void;
}

/**
 * Opens the log on a file descriptor: JSON lines with the level by name and
 * the time in ISO 8601. Properties with the name of a credential are masked.
 * Disposing writes all pending lines and leaves the descriptor open.
 */
export function openLog(config: LogConfig, fd: number): Log {
  const destination = openLogDestination(fd);
  const isText = config.pretty ?? isatty(fd);
  const logger = createLogger(config, isText ? asText(destination) : destination);
  return {
    logger,
    flushSync: destination.flushSync,
    [Symbol.asyncDispose]: () => destination[Symbol.asyncDispose](),
  };
}

/** Creates a logger that writes to a destination. */
function createLogger(config: LogConfig, destination: DestinationStream): Logger {
  return pino(
    {
      level: config.level,
      base: null,
      timestamp: createTimestamp(Date.now),
      formatters: { level: (label) => ({ level: label }), log: maskSensitive },
      serializers: { err: (error: Error) => maskSensitive(serializeError(error)) },
    },
    destination,
  );
}

/** Serializes an error, without repeating the messages of its causes. */
function serializeError(error: Error): ReturnType<typeof stdSerializers.err> {
  const serialized = stdSerializers.err(error);
  if (error instanceof Error) serialized.message = messageWithCauses(error);
  return serialized;
}

function messageWithCauses(error: Error): string {
  let message = describeSystemError(error) === undefined ? error.message : errorMessage(error);
  const seen = new Set<unknown>([error]);
  for (let cause = error.cause; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    const description = describeSystemError(cause) === undefined ? cause.message : errorMessage(cause);
    if (!message.includes(description)) message += `: ${description}`;
  }
  return message;
}

type Flushable = Pick<LogDestination, "write" | "flush" | "flushSync">;

function asText({ write, flush, flushSync }: Flushable): Flushable {
  return { write: (line) => write(toText(line)), flush, flushSync };
}

/** Formatting the time costs 1 µs, a third of a line, so lines of the same millisecond share it. */
function createTimestamp(now: () => number): () => string {
  let lastMs = Number.NaN;
  let text = "";
  return () => {
    const ms = now();
    if (ms !== lastMs) {
      lastMs = ms;
      text = `,"time":"${new Date(ms).toISOString()}"`;
    }
    return text;
  };
}
