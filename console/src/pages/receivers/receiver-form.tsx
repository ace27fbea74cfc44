import { Button } from "../../controls/button.tsx";
import { Card } from "../../controls/card.tsx";
import { Field, Select } from "../../controls/field.tsx";
import { t } from "../../texts/texts.ts";
import type { Receiver, Secrets } from "./form.ts";

interface ReceiverFormProps {
  readonly receiver: Receiver;
  readonly secrets: Secrets;
  readonly isRunning: boolean;
  readonly onChange: (receiver: Receiver) => void;
  readonly onSecrets: (secrets: Secrets) => void;
  readonly onStart: () => void;
  readonly onStop: () => void;
}

/** Describes the receiver to check. */
export function ReceiverForm(props: ReceiverFormProps) {
  const { receiver, secrets, isRunning, onChange, onSecrets, onStart, onStop } = props;
  return (
    <Card title={t("receivers.receiver")} isPadded>
      <form
        class="receivers-form"
        onSubmit={(event) => {
          event.preventDefault();
          onStart();
        }}
      >
        <Field
          label={t("receivers.url")}
          limits={t("receivers.url.limits")}
          value={receiver.url}
          isRequired
          onInput={(url) => onChange({ ...receiver, url })}
        />
        <Select
          label={t("receivers.signed")}
          value={receiver.isSigned ? "yes" : "no"}
          options={[
            { value: "yes", text: t("receivers.signed.yes") },
            { value: "no", text: t("receivers.signed.no") },
          ]}
          onChange={(value) => onChange({ ...receiver, isSigned: value === "yes" })}
        />
        {receiver.isSigned && (
          <Signature receiver={receiver} secrets={secrets} onChange={onChange} onSecrets={onSecrets} />
        )}
        <details>
          <summary>{t("receivers.more")}</summary>
          <More receiver={receiver} secrets={secrets} onChange={onChange} onSecrets={onSecrets} />
        </details>
        <div class="receivers-actions">
          <Button kind="main" type="submit" obstacle={isRunning ? t("receivers.isRunning") : undefined}>
            {t("receivers.start")}
          </Button>
          {isRunning && <Button onClick={onStop}>{t("receivers.stop")}</Button>}
        </div>
      </form>
    </Card>
  );
}

type PartProps = Pick<ReceiverFormProps, "receiver" | "secrets" | "onChange" | "onSecrets">;

function Signature({ receiver, secrets, onChange, onSecrets }: PartProps) {
  return (
    <>
      <Field
        label={t("receivers.secret")}
        limits={t("receivers.secret.limits")}
        type="password"
        value={secrets.secret}
        isRequired
        onInput={(secret) => onSecrets({ ...secrets, secret })}
      />
      <Field
        label={t("receivers.header")}
        limits={t("receivers.header.limits")}
        value={receiver.signatureHeader}
        onInput={(signatureHeader) => onChange({ ...receiver, signatureHeader })}
      />
    </>
  );
}

function More({ receiver, secrets, onChange, onSecrets }: PartProps) {
  return (
    <div class="receivers-more">
      {receiver.isSigned && (
        <Field
          label={t("receivers.secondSecret")}
          limits={t("receivers.secondSecret.limits")}
          type="password"
          value={secrets.secondSecret}
          onInput={(secondSecret) => onSecrets({ ...secrets, secondSecret })}
        />
      )}
      <Field
        label={t("receivers.headers")}
        limits={t("receivers.headers.limits")}
        rows={2}
        value={secrets.headers}
        onInput={(headers) => onSecrets({ ...secrets, headers })}
      />
      <Field
        label={t("receivers.bad")}
        limits={t("receivers.bad.limits")}
        value={receiver.badPushId}
        onInput={(badPushId) => onChange({ ...receiver, badPushId })}
      />
      <Field
        label={t("receivers.project")}
        limits={t("receivers.project.limits")}
        type="number"
        value={receiver.projectId}
        onInput={(projectId) => onChange({ ...receiver, projectId })}
      />
      <Field
        label={t("receivers.timeout")}
        limits={t("receivers.timeout.limits")}
        type="number"
        value={receiver.timeout}
        onInput={(timeout) => onChange({ ...receiver, timeout })}
      />
      <Field
        label={t("receivers.rate")}
        limits={t("receivers.rate.limits")}
        type="number"
        value={receiver.rate}
        onInput={(rate) => onChange({ ...receiver, rate })}
      />
      <Field
        label={t("receivers.skip")}
        limits={t("receivers.skip.limits")}
        value={receiver.skip}
        onInput={(skip) => onChange({ ...receiver, skip })}
      />
    </div>
  );
}
