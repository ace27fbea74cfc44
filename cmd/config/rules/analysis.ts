import { noProject } from "../known-projects.ts";
import type { Config } from "../resolve.ts";
import type { Settings } from "../schema/schema.ts";
import { checkPemFiles, type Finding } from "../tls-files.ts";

/** Checks the section `analysis` against the projects, and the files it names. */
export function checkAnalysis({ projects, analysis: { platform } }: Settings, config: Config): Finding[] {
  if (platform === undefined) {
    const message = 'is "platform", so say which one: analysis: { platform: { baseUrl: …, token: … } }';
    return projects.flatMap(({ engine }, i): Finding[] =>
      engine === "platform"
        ? [{ path: ["projects", i, "engine"], message, needs: ["analysis", "platform"] }]
        : [],
    );
  }
  const known = projects.map(({ id }) => String(id));
  const unknown = Object.keys(platform.projects)
    .filter((id) => !known.includes(id))
    .map((id) => ({
      path: ["analysis", "platform", "projects", id],
      message: noProject(id, known),
      needs: ["projects"],
      named: id,
    }));
  const resolved = config.analysis.platform?.tls ?? {};
  return [...unknown, ...checkPemFiles(["analysis", "platform", "tls"], platform.tls, resolved)];
}
