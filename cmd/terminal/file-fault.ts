import { accessSync, constants, statSync } from "node:fs";
import { describeSystemError, errorMessage, firstLine } from "../../base/text/system-error.ts";
import { UserError } from "./user-error.ts";

/**
 * Returns the error for a file of the command line that cannot be read.
 * @param kind such as `key file`
 */
export function cannotRead(file: string, error: unknown, kind?: string): UserError {
  return faultOf("read", file, error, kind);
}

export function cannotWrite(file: string, error: unknown): UserError {
  return faultOf("write", file, error);
}

function faultOf(verb: string, file: string, error: unknown, kind?: string): UserError {
  const name = `${kind === undefined ? "" : `the ${kind} `}${JSON.stringify(file)}`;
  const reason = describeSystemError(error) ?? firstLine(errorMessage(error));
  return new UserError(`cannot ${verb} ${name}: ${reason}`, { cause: error });
}

/** Checks a file that is read much later. @throws UserError when it cannot be read or is a folder */
export function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw cannotRead(file, error);
  }
  if (statSync(file).isDirectory()) throw isFolder("read", file);
}

export function isFolder(verb: "read" | "write", file: string): UserError {
  return new UserError(`cannot ${verb} ${JSON.stringify(file)}: it is a folder, not a file`);
}
