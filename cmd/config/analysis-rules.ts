import type { Settings } from "./schema.ts";
import type { Finding } from "./tls-files.ts";

/** Rules between the section `analysis` and the projects. */
export function checkAnalysis({ projects, analysis: { platform } }: Settings): Finding[] {
  if (platform === undefined) {
    const message = 'is "platform", so say which one: analysis: { platform: { baseUrl: …, token: … } }';
    return projects.flatMap(({ engine }, i): Finding[] =>
      engine === "platform" ? [{ path: ["projects", i, "engine"], message }] : [],
    );
  }
  const known = new Set(projects.map(({ id }) => String(id)));
  return Object.keys(platform.projects)
    .filter((id) => !known.has(id))
    .map((id) => ({ path: ["analysis", "platform", "projects", id], message: `there is no project ${id}` }));
}
