import { getSystemErrorMap } from "node:util";

/** The properties that Node adds to errors of the operating system and of name look-ups. */
interface SystemError extends Error {
  readonly code: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly path?: string;
}

type Description = (error: SystemError) => string;

const files: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EBUSY: "it is in use by another program",
  EDQUOT: "the disk quota is used up",
  EEXIST: "it already exists",
  EFBIG: "the file would be too large",
  EIO: "the disk reports an error",
  EISDIR: "it is a folder, not a file",
  ELOOP: "too many symbolic links",
  EMFILE: "this process has too many open files",
  ENAMETOOLONG: "the name is too long",
  ENFILE: "the system has too many open files",
  ENOENT: "no such file or folder",
  ENOSPC: "no space is left on the disk",
  ENOTDIR: "a part of the path is a file, not a folder",
  ENOTEMPTY: "the folder is not empty",
  EPERM: "the system does not permit it",
  EROFS: "the file system is read-only",
};

const connections: Readonly<Record<string, Description>> = {
  EADDRINUSE: (error) => `${placeOf(error) ?? "the address"} is already in use by another program`,
  EADDRNOTAVAIL: (error) => `${error.address ?? "the address"} is no address of this computer`,
  EAI_AGAIN: (error) => `the name server gives no answer for ${error.hostname ?? "the host"}`,
  ECONNABORTED: () => "the connection was aborted",
  ECONNREFUSED: (error) => `connection refused${by(error)}`,
  ECONNRESET: (error) => `the connection was closed${by(error)} before the answer was complete`,
  EHOSTDOWN: (error) => `${error.address ?? "the host"} is down`,
  EHOSTUNREACH: (error) => `${error.address ?? "the host"} cannot be reached`,
  ENETUNREACH: (error) => `the network of ${error.address ?? "the host"} cannot be reached`,
  ENOTFOUND: (error) => `no address is known for the host ${error.hostname ?? "name"}`,
  EPIPE: (error) => `the connection was closed${by(error)} while data was sent`,
  ETIMEDOUT: (error) => `no answer${error.address === undefined ? "" : ` from ${placeOf(error)}`} in time`,
};

function by(error: SystemError): string {
  const place = placeOf(error);
  return place === undefined ? "" : ` by ${place}`;
}

function placeOf({ address, port }: SystemError): string | undefined {
  if (address === undefined || port === undefined || port < 0) return address;
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/**
 * Describes an error of the operating system without its code, such as "no such file or folder" and "connection
 * refused by 127.0.0.1:8080". The caller names the file.
 * @returns undefined for any other error
 */
export function describeSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // A connection tried at several addresses fails with one error for each.
  if (error instanceof AggregateError && error.errors.length > 0) {
    const descriptions = error.errors.map(describeSystemError);
    return descriptions.includes(undefined) ? undefined : [...new Set(descriptions)].join(", ");
  }
  if (!("code" in error) || typeof error.code !== "string") return undefined;
  const fault = error as SystemError;
  if (fault.syscall === "listen" && fault.code === "EACCES") {
    return `permission denied for ${placeOf(fault) ?? "the address"}: ports below 1024 are for privileged programs`;
  }
  if (fault.syscall === "mkdir" && fault.code === "EEXIST") return "a file of that name is in the way";
  const ofFile = Object.hasOwn(files, fault.code) ? files[fault.code] : undefined;
  const ofConnection = Object.hasOwn(connections, fault.code) ? connections[fault.code] : undefined;
  return ofFile ?? ofConnection?.(fault) ?? systemMessages.get(fault.code);
}

/** Returns the system's own text for rare errors. */
const systemMessages: ReadonlyMap<string, string> = new Map(getSystemErrorMap().values());

/** The action on a file, by the name of the system call; other calls open it. */
const verbs: ReadonlyMap<string, string> = new Map([
  ["access", "read"],
  ["chmod", "set the permissions of"],
  ["fdatasync", "write"],
  ["fsync", "write"],
  ["ftruncate", "write"],
  ["lstat", "look at"],
  ["mkdir", "make the folder"],
  ["read", "read"],
  ["readlink", "look at"],
  ["realpath", "look at"],
  ["rename", "rename"],
  ["rmdir", "delete"],
  ["scandir", "read the folder"],
  ["stat", "look at"],
  ["statfs", "look at"],
  ["unlink", "delete"],
  ["write", "write"],
]);

/** Describes any error, with its file if it has one; other errors by their own message. */
export function errorMessage(error: unknown): string {
  const description = describeSystemError(error);
  if (description !== undefined) {
    const { path, syscall = "" } = error as SystemError;
    if (syscall === "listen") return `cannot listen: ${description}`;
    return path === undefined
      ? description
      : `cannot ${verbs.get(syscall) ?? "open"} ${JSON.stringify(path)}: ${description}`;
  }
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error && (error.message === "" || error.message === "fetch failed")) {
    return errorMessage(error.cause);
  }
  return error.message || error.name;
}

/** Describes any error without its file, for messages that name the file. */
export function describeReason(error: unknown): string {
  return describeSystemError(error) ?? errorMessage(error);
}

/** Returns the first line: libraries append an excerpt of their input. */
export function firstLine(message: string): string {
  return message.split("\n", 1)[0]!.replace(/:$/, "");
}

/**
 * Describes an error in one line of at most 300 characters, with its code unless the message or our own words have it.
 */
export function describeError(error: unknown): string {
  if (describeSystemError(error) !== undefined) return oneLine(errorMessage(error));
  if (!(error instanceof Error)) return oneLine(String(error));
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const text = error.message || error.name;
  return oneLine(code === "" || text.includes(code) ? text : `${code}: ${text}`);
}

const maxLineLength = 300;

/** Puts a text on one line and cuts it to 300 characters, as for a list of reasons. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line;
}
