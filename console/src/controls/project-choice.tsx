import type { Project } from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import { t } from "../texts/texts.ts";
import { Select } from "./field.tsx";

export interface ProjectChoiceProps {
  readonly projects: readonly Project[];
  /** It need not be one of the projects. */
  readonly projectId: bigint;
  readonly onChange: (projectId: string) => void;
}

/** A field that chooses one of the projects, each of which it shows with its zone. */
export function ProjectChoice({ projects, projectId, onChange }: ProjectChoiceProps) {
  const id = String(projectId);
  const options = projects.map((project) => ({
    value: String(project.projectId),
    text: t("events.project.zone", { id: String(project.projectId), zone: project.zone }),
  }));
  const isKnown = options.some(({ value }) => value === id);
  return (
    <div class="single-field">
      <Select
        label={t("events.project")}
        value={id}
        options={isKnown ? options : options.concat({ value: id, text: id })}
        onChange={onChange}
      />
    </div>
  );
}
