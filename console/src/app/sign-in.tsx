import { useSignal } from "@preact/signals";
import { Button } from "../controls/button.tsx";
import { Card } from "../controls/card.tsx";
import { Command } from "../controls/copy.tsx";
import { Field } from "../controls/field.tsx";
import { PageHead } from "../controls/page-head.tsx";
import { t } from "../texts/texts.ts";
import { signIn } from "./session.ts";

/** The form for a key, in place of a page. */
export function SignIn() {
  const key = useSignal("");
  const problem = useSignal<string | undefined>(undefined);
  const submit = async (event: Event) => {
    event.preventDefault();
    problem.value = undefined;
    try {
      problem.value = (await signIn(key.value)).problem;
    } catch {
      problem.value = t("session.unreachable");
    }
  };
  return (
    <>
      <PageHead title={t("session.title")} lead={t("session.lead")} />
      <Command text="engage key create console" />
      <div class="sign-in">
        <Card title={t("session.signIn")} isPadded>
          <form class="stack" onSubmit={(event) => void submit(event)}>
            <Field
              label={t("session.key")}
              limits={t("session.key.limits")}
              error={problem.value}
              type="password"
              autocomplete="current-password"
              isRequired
              value={key.value}
              onInput={(value) => {
                key.value = value;
              }}
            />
            <div>
              <Button type="submit" kind="main">
                {t("session.signIn")}
              </Button>
            </div>
          </form>
        </Card>
      </div>
    </>
  );
}
