import { useSignal } from "@preact/signals";
import { FileButton } from "../../../controls/file/file-button.tsx";
import { formatBytes } from "../../../texts/formats.ts";
import { t } from "../../../texts/texts.ts";

interface FileChooserProps {
  /** The file that was chosen. */
  readonly file: File | undefined;
  readonly onChoose: (file: File) => void;
}

/** A place to drop a file on, or to choose one. */
export function FileChooser({ file, onChoose }: FileChooserProps) {
  const isOver = useSignal(false);
  const take = (file: File | undefined): void => {
    if (file !== undefined) onChoose(file);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    isOver.value = false;
    take(event.dataTransfer?.files[0]);
  };
  const hover = (event: DragEvent): void => {
    event.preventDefault();
    isOver.value = event.type === "dragover";
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files may be chosen by the button too.
    <div
      class={isOver.value ? "import-drop over" : "import-drop"}
      onDrop={drop}
      onDragOver={hover}
      onDragLeave={hover}
    >
      <p>{t("import.lead")}</p>
      <div class="row">
        <FileButton label={t("import.file")} accept=".csv,.tsv,.txt,text/csv" onChoose={take} />
        {file !== undefined && (
          <strong>{t("import.file.size", { name: file.name, size: formatBytes(file.size) })}</strong>
        )}
      </div>
    </div>
  );
}
