import { Button } from "../../../controls/button.tsx";
import { t } from "../../../texts/texts.ts";

/** Leads from the form to the result, which lies below it on narrow screens; on wide ones it is hidden. */
export function ResultJump({ onShow }: { readonly onShow: () => void }) {
  return (
    <div class="query-jump">
      <Button kind="main" onClick={onShow}>
        {t("query.toResult")}
      </Button>
    </div>
  );
}

/** Leads back from the result to the form, where it is above. */
export function FormJump() {
  const show = (): void => {
    document.querySelector<HTMLElement>('.query-page [role="tab"][aria-selected="true"]')?.focus();
  };
  return (
    <div class="query-jump-back">
      <Button kind="quiet" onClick={show}>
        {t("query.toForm")}
      </Button>
    </div>
  );
}
