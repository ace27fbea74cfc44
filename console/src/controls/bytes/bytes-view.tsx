import { useSignal } from "@preact/signals";
import { formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";
import { Button } from "../button.tsx";
import { beginningOf, hexOf } from "./bytes.ts";

export interface BytesViewProps {
  readonly bytes: Uint8Array;
  /** The name for readers of the screen. */
  readonly label: string;
  /** How many there are, if `bytes` is only their beginning. */
  readonly total?: number;
}

const firstBytes = 1_024;
/** Each step shows this many times as much, so that a few reach the end of any body. */
const growth = 16;

/** Bytes as text and as hexadecimal digits. They are cut at first; a button shows more up to the end. */
export function BytesView({ bytes, label, total = bytes.length }: BytesViewProps) {
  const isHex = useSignal(false);
  const limit = useSignal(firstBytes);
  const shown = bytes.subarray(0, limit.value);
  const text = isHex.value ? undefined : beginningOf(shown, shown.length < total);
  return (
    <div class="bytes">
      <div class="row">
        <Choice
          isChosen={text !== undefined}
          text={t("bytes.text")}
          onChoose={() => {
            isHex.value = false;
          }}
        />
        <Choice
          isChosen={text === undefined}
          text={t("bytes.hex")}
          onChoose={() => {
            isHex.value = true;
          }}
        />
        <span class="muted">
          {t("bytes.shown", { shown: formatNumber(shown.length), total: formatNumber(total) })}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard. */}
      <pre role="group" tabIndex={0} aria-label={label} class={text === undefined ? "" : "wrapped"}>
        {text ?? hexOf(shown)}
      </pre>
      {shown.length < bytes.length && (
        <div>
          <Button
            onClick={() => {
              limit.value *= growth;
            }}
          >
            {t("bytes.more")}
          </Button>
        </div>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly isChosen: boolean;
  readonly text: string;
  readonly onChoose: () => void;
}

function Choice({ isChosen, text, onChoose }: ChoiceProps) {
  return (
    <Button kind="quiet" isPressed={isChosen} onClick={onChoose}>
      {text}
    </Button>
  );
}
