import { useSignal } from "@preact/signals";
import { t } from "../texts/texts.ts";
import { Button } from "./button.tsx";

/** Copies a text. Says so in the button, which readers of the screen announce. */
export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const isCopied = useSignal(false);
  const copy = async () => {
    await copyText(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, 2_000);
  };
  return (
    <Button
      kind="quiet"
      onClick={() => void copy()}
      {...(label !== undefined && !isCopied.value && { label })}
    >
      <span aria-live="polite">{t(isCopied.value ? "copy.copied" : "copy.copy")}</span>
    </Button>
  );
}

/** The clipboard is only for pages over TLS and on loopback; elsewhere the old command works. */
async function copyText(text: string): Promise<void> {
  if (isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "hidden-text";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** A command with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long command is scrolled by keyboard. */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} />
    </div>
  );
}
