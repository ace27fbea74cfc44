interface FileButtonProps {
  readonly label: string;
  /** The types of files that the browser offers first. */
  readonly accept?: string;
  readonly onChoose: (file: File) => void;
}

/**
 * A button that opens a file. The browser's own control says "no file chosen" after each choice, since its value is
 * cleared so that the same file can be chosen again; and it speaks the language of the browser.
 */
export function FileButton({ label, accept, onChoose }: FileButtonProps) {
  return (
    <label class="button file-button">
      <input
        class="hidden-text"
        type="file"
        accept={accept}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          currentTarget.value = "";
          if (file !== undefined) onChoose(file);
        }}
      />
      {label}
    </label>
  );
}
