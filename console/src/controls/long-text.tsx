import { useSignal } from "@preact/signals";
import { formatNumber } from "../texts/formats.ts";
import { t } from "../texts/texts.ts";
import { Button } from "./button.tsx";

/** Longer texts are cut until their reader asks for all. */
const maxLength = 200;

export interface LongTextProps {
  readonly text: string;
  readonly kind?: "string" | "number" | "word";
}

/** A text that is cut when it is long, with a way to see all of it. */
export function LongText({ text, kind }: LongTextProps) {
  const isOpen = useSignal(false);
  const isCut = text.length > maxLength && !isOpen.value;
  return (
    <span class={kind === undefined ? "long-text" : kind}>
      {isCut ? `${text.slice(0, maxLength)}…` : text}
      {isCut && (
        <Button
          kind="quiet"
          onClick={() => {
            isOpen.value = true;
          }}
        >
          {t("json.more", { count: formatNumber(text.length) })}
        </Button>
      )}
    </span>
  );
}
