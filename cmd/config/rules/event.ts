import { knownNames } from "../../../base/text/known-names.ts";
import { noProject } from "../known-projects.ts";
import type { Settings } from "../schema/schema.ts";
import type { Finding } from "../tls-files.ts";

/** Checks the projects and formats that `parser.store` names. */
export function checkEvents({ parser, projects }: Settings): Finding[] {
  const { store, formats } = parser;
  if (store === undefined) return [];
  const findings: Finding[] = [];
  if (projects.every(({ id }) => id !== store.project)) {
    findings.push({
      path: ["parser", "store", "project"],
      message: noProject(
        store.project,
        projects.map(({ id }) => id),
      ),
      needs: ["projects"],
      named: store.project,
    });
  }
  const names = formats.map(({ name }) => name);
  for (const [i, name] of (store.formats ?? []).entries()) {
    if (names.includes(name)) continue;
    const message = `there is no format ${JSON.stringify(name)}, ${knownNames(name, names)}`;
    findings.push({
      path: ["parser", "store", "formats", i],
      message,
      needs: ["parser", "formats"],
      named: name,
    });
  }
  return findings;
}
