import { useSignal } from "@preact/signals";
import {
  PreviewMessageRequestSchema,
  type PreviewMessageResponse,
} from "../../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { Button } from "../../../controls/button.tsx";
import { Card } from "../../../controls/card.tsx";
import { Field, Select } from "../../../controls/field.tsx";
import { JsonView } from "../../../controls/json-view.tsx";
import { findFaults } from "../../../form/faults.ts";
import { busyText, labelOf, sayLimits } from "../../../form/say.ts";
import { t } from "../../../texts/texts.ts";
import { messagesOf } from "./task-draft.ts";
import type { TaskFormPart } from "./task-form-part.ts";

const { pushId: pushIdField } = PreviewMessageRequestSchema.field;

/** Shows the message that one recipient would get, and sends nothing. */
export function Preview({ client, channel, draft, faults, isBusy, submit }: TaskFormPart) {
  const pushId = useSignal("");
  const groupId = useSignal("");
  const language = useSignal("");
  const result = useSignal<PreviewMessageResponse | undefined>(undefined);
  const { groups, contents } = draft;
  const group = groups.find((one) => one.groupId === groupId.value) ?? groups[0];
  const spoken = group !== undefined && group.contents.length > 0 ? group.contents : contents;
  const show = () =>
    submit(
      async () => {
        result.value = undefined;
        const task = messagesOf(draft, channel);
        const isGroup = groups.some((one) => one.groupId === groupId.value);
        const isSpoken = spoken.some((one) => one.language === language.value);
        result.value = await client.previewMessage({
          task,
          pushId: pushId.value,
          groupId: isGroup ? groupId.value : "",
          language: isSpoken ? language.value : "",
        });
      },
      findFaults([pushIdField, pushId.value]),
    );
  return (
    <Card title={t("tasks.preview")} isPadded>
      <div class="stack">
        <p>{t("tasks.preview.lead")}</p>
        <div class="form-fields">
          <Field
            label={labelOf(pushIdField)}
            limits={sayLimits(pushIdField) ?? ""}
            value={pushId.value}
            error={faults.get("push_id")}
            onInput={(value) => {
              pushId.value = value;
            }}
          />
          {groups.length > 0 && (
            <Select
              label={t("tasks.preview.group")}
              value={groupId.value}
              options={groups.map((one) => ({ value: one.groupId, text: one.groupId }))}
              onChange={(value) => {
                groupId.value = value;
              }}
            />
          )}
          {spoken.length > 1 && (
            <Select
              label={t("tasks.preview.language")}
              value={language.value}
              options={[
                { value: "", text: t("tasks.preview.ownLanguage") },
                ...spoken.map((one) => ({ value: one.language, text: one.language })),
              ]}
              onChange={(value) => {
                language.value = value;
              }}
            />
          )}
        </div>
        <div>
          <Button obstacle={busyText(isBusy)} onClick={() => void show()}>
            {t("tasks.preview.show")}
          </Button>
        </div>
        <div aria-live="polite">{result.value !== undefined && <PreviewResult result={result.value} />}</div>
      </div>
    </Card>
  );
}

function PreviewResult({
  result: { message, groupId, language },
}: {
  readonly result: PreviewMessageResponse;
}) {
  return (
    <div class="stack">
      <p>{t(groupId === "" ? "tasks.preview.in" : "tasks.preview.inGroup", { language, group: groupId })}</p>
      <JsonView text={message} label={t("tasks.preview.message")} />
    </div>
  );
}
