import { Badge } from "../controls/badge.tsx";
import { Button } from "../controls/button.tsx";
import { t } from "../texts/texts.ts";
import { session, signOut } from "./session.ts";

/** Who is signed in, with what they may do; nothing where no key is needed. */
export function SessionControl() {
  const { required = false, name, access, endMs } = session.value ?? {};
  if (!required || name === undefined) return null;
  return (
    <div class="row">
      <span>{t("session.as", { name })}</span>
      {access === "read" && <Badge tone="plain">{t("session.readOnly")}</Badge>}
      {endMs !== undefined && (
        <Button kind="quiet" onClick={() => void signOut()}>
          {t("session.signOut")}
        </Button>
      )}
    </div>
  );
}
