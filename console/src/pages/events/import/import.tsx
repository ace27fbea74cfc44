import { useSignal } from "@preact/signals";
import type { Project } from "../../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { Button } from "../../../controls/button.tsx";
import { Card } from "../../../controls/card.tsx";
import { FaultNote } from "../../../controls/fault-note.tsx";
import { type Fault, faultOf } from "../../../rpc/fault.ts";
import { t } from "../../../texts/texts.ts";
import { faultText } from "./fault-text.ts";
import { FileChooser } from "./file-chooser.tsx";
import { guessMapping, type Mapping, mappingFault, type Sample } from "./mapping.ts";
import { MappingForm } from "./mapping-form.tsx";
import { ProgressView } from "./progress-view.tsx";
import { createRunner, type Run } from "./runner.ts";
import { readSample, TableError } from "./table-file.ts";

interface Chosen {
  readonly file: File;
  readonly sample: Sample;
}

/** Imports a table: a file is chosen, its columns are assigned, and its rows are checked or sent as events. */
export function ImportForm({ project }: { readonly project: Project }) {
  const chosen = useSignal<Chosen | undefined>(undefined);
  const mapping = useSignal<Mapping | undefined>(undefined);
  const fault = useSignal<Fault | string | undefined>(undefined);
  const run = useSignal<Run | undefined>(undefined);
  const choose = async (file: File): Promise<void> => {
    run.value?.cancel();
    run.value = undefined;
    fault.value = undefined;
    chosen.value = undefined;
    try {
      const sample = await readSample(file);
      if (sample.rows.length === 0) {
        fault.value = t("import.noRows", { name: file.name });
        return;
      }
      mapping.value = guessMapping(sample);
      chosen.value = { file, sample };
    } catch (error) {
      fault.value = error instanceof TableError ? t(`import.file.${error.fault}`) : faultOf(error);
    }
  };
  const start = (isDryRun: boolean): void => {
    const { file } = chosen.peek()!;
    const options = { file, mapping: mapping.peek()!, projectId: project.projectId, isDryRun };
    run.value = createRunner(options);
  };
  return (
    <Card title={t("import.title")} isPadded>
      <div class="stack">
        <FileChooser file={chosen.value?.file} onChoose={(file) => void choose(file)} />
        <div aria-live="polite">
          {typeof fault.value === "string" && <p class="note bad">{fault.value}</p>}
          {typeof fault.value === "object" && <FaultNote fault={fault.value} />}
        </div>
        {chosen.value !== undefined && mapping.value !== undefined && (
          <>
            <MappingForm
              project={project}
              sample={chosen.value.sample}
              mapping={mapping.value}
              onChange={(changed) => {
                mapping.value = changed;
              }}
            />
            <Actions obstacle={obstacleOf(mapping.value, run.value)} onStart={start} />
          </>
        )}
        {run.value !== undefined && chosen.value !== undefined && (
          <ProgressView project={project} sample={chosen.value.sample} run={run.value} />
        )}
      </div>
    </Card>
  );
}

/** Says why an import cannot start. */
function obstacleOf(mapping: Mapping, run: Run | undefined): string | undefined {
  if (run?.isRunning.value === true) return t("import.isRunning");
  const fault = mappingFault(mapping);
  return fault && faultText(fault);
}

interface ActionsProps {
  /** Why the import cannot start; undefined if it can. */
  readonly obstacle: string | undefined;
  readonly onStart: (isDryRun: boolean) => void;
}

function Actions({ obstacle, onStart }: ActionsProps) {
  return (
    <div class="events-actions">
      <Button onClick={() => onStart(true)} obstacle={obstacle}>
        {t("import.check")}
      </Button>
      <Button kind="main" onClick={() => onStart(false)} obstacle={obstacle}>
        {t("import.start")}
      </Button>
    </div>
  );
}
