import { hintNearest } from "../../base/text/known-names.ts";
import type { ServedService } from "../methods.ts";
import type { RestBinding } from "./bindings.ts";

/** Longer paths are not compared. */
const maxLength = 200;

interface Candidate {
  readonly text: string;
  /** Literal segments; undefined for those that may be anything. */
  readonly segments: readonly (string | undefined)[];
}

/** Creates the hint at the path that a mistyped one most likely means: a REST template or the path of an RPC. */
export function createNearestPath(
  services: readonly ServedService[],
  routes: readonly RestBinding[],
): (path: string) => string {
  const candidates: readonly Candidate[] = [
    ...routes.map(({ template }) => ({ text: template.text, segments: segmentsOf(template.text) })),
    ...services.flatMap(({ methods }) =>
      methods.map(({ name }) => ({ text: `/${name}`, segments: segmentsOf(`/${name}`) })),
    ),
  ];
  return (path) => {
    if (path.length > maxLength) return "";
    const own = path.split("/");
    // Variables are filled from the path, so that only the other segments can differ.
    const filled = new Map(candidates.map((candidate) => [fill(candidate, own), candidate.text]));
    return hintNearest(path, [...filled.keys()], (name) => filled.get(name)!);
  };
}

/** Returns the segments of a template. Each segment of a variable with several segments is one of them. */
function segmentsOf(template: string): readonly (string | undefined)[] {
  return template
    .replaceAll(/\{[^{}=]+=([^{}]*)\}/g, "$1")
    .split("/")
    .map((segment) => (/[{*]/.test(segment) ? undefined : segment));
}

function fill({ segments }: Candidate, own: readonly string[]): string {
  return segments.map((segment, i) => segment ?? own[i] ?? "").join("/");
}
