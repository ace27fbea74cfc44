import type { Probe } from "./probe.ts";
import { acceptProbes } from "./probes/accept.ts";
import { bodyProbes } from "./probes/bodies.ts";
import { loadProbes } from "./probes/load.ts";
import { partialProbes } from "./probes/partial.ts";
import { refusalProbes } from "./probes/refusals.ts";
import { repeatProbes } from "./probes/repeats.ts";
import { signatureProbes } from "./probes/signatures.ts";
import { valueProbes } from "./probes/values.ts";

/** All probes, in the order in which they run: those on which others depend come first, load comes last. */
export const probes: readonly Probe[] = [
  ...acceptProbes,
  ...signatureProbes,
  ...bodyProbes,
  ...valueProbes,
  ...partialProbes,
  ...repeatProbes,
  ...refusalProbes,
  ...loadProbes,
];
