import { setFlagsFromString } from "node:v8";

/** The version of V8 in Node 26. An earlier one may not have the flag, and would report it to the standard error. */
const minVersion = 14;

/** Sets a flag that V8 also reads after its start, in versions that have it. */
export function setV8Flag(flag: string): void {
  const version = Number.parseInt(process.versions.v8, 10);
  if (version >= minVersion) setFlagsFromString(flag);
}
