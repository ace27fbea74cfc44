import { t } from "../texts/texts.ts";
import { Button } from "./button.tsx";

/** Loads a list or a page again. */
export function RefreshButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button kind="quiet" onClick={onClick}>
      {t("refresh")}
    </Button>
  );
}
