import { useSignal } from "@preact/signals";
import { Button } from "../../controls/button.tsx";
import { textOf } from "../../controls/bytes/bytes.ts";
import { Card } from "../../controls/card.tsx";
import { Field } from "../../controls/field.tsx";
import { FileButton } from "../../controls/file/file-button.tsx";
import { formatBytes } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";
import { maxContentBytes } from "./content.ts";

interface ContentFormProps {
  readonly content: Uint8Array;
  readonly onChange: (content: Uint8Array<ArrayBuffer>) => void;
  readonly onExample: () => void;
}

/** Where lines are pasted, or a file is dropped or chosen. A file that is not UTF-8 is sent as it is. */
export function ContentForm({ content, onChange, onExample }: ContentFormProps) {
  const isOver = useSignal(false);
  const text = textOf(content);
  const take = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) onChange(new Uint8Array(await file.slice(0, maxContentBytes + 1).arrayBuffer()));
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    isOver.value = false;
    void take(event.dataTransfer?.files[0]);
  };
  const hover = (event: DragEvent): void => {
    event.preventDefault();
    isOver.value = event.type === "dragover";
  };
  return (
    <Card
      title={t("parser.content")}
      isPadded
      actions={
        <Button kind="quiet" onClick={onExample}>
          {t("parser.example")}
        </Button>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files may be chosen by the button too. */}
      <div class={isOver.value ? "drop over" : "drop"} onDrop={drop} onDragOver={hover} onDragLeave={hover}>
        <Field
          label={t("parser.lines")}
          limits={t("parser.lines.limits", { max: formatBytes(maxContentBytes) })}
          rows={8}
          value={text ?? t("parser.binary", { size: formatBytes(content.length) })}
          error={content.length > maxContentBytes ? t("parser.tooLong") : undefined}
          onInput={(value) => onChange(new TextEncoder().encode(value))}
        />
        <FileButton label={t("parser.file")} onChoose={(file) => void take(file)} />
      </div>
    </Card>
  );
}
