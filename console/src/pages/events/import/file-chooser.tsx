import { useSignal } from "@preact/signals";
import { t } from "../../../texts/texts.ts";

/** A place to drop a file on, or to choose one. */
export function FileChooser({ onChoose }: { readonly onChoose: (file: File) => void }) {
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
      <label class="row">
        <span>{t("import.file")}</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={({ currentTarget }) => {
            take(currentTarget.files?.[0]);
            currentTarget.value = "";
          }}
        />
      </label>
    </div>
  );
}
