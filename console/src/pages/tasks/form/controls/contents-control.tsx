import type { Channel } from "../../../../../../gen/engage/channel/v1/channel_pb.ts";
import { ContentSchema } from "../../../../../../gen/engage/channel/v1/task_pb.ts";
import { ContentControl } from "../../../../contents/content-control.tsx";
import { type ContentDraft, defaultContent } from "../../../../contents/content-draft.ts";
import { Button } from "../../../../controls/button.tsx";
import { Field } from "../../../../controls/field.tsx";
import { type Faults, faultsOf } from "../../../../form/faults.ts";
import { labelOf, sayLimits } from "../../../../form/say.ts";
import { t } from "../../../../texts/texts.ts";

export interface ContentsControlProps {
  readonly channel: Channel;
  readonly contents: readonly ContentDraft[];
  /** By paths within the message that has the contents. */
  readonly faults: Faults;
  readonly onChange: (contents: readonly ContentDraft[]) => void;
}

/** The contents in all languages, each with the fields that the channel has. */
export function ContentsControl({ channel, contents, faults, onChange }: ContentsControlProps) {
  const label = t("tasks.content");
  const fault = faults.get("contents");
  return (
    <div class="form-list">
      {contents.map((content, i) => (
        // Contents keep their places while they are edited.
        <fieldset key={i}>
          <legend>{t("form.entry", { label, number: String(i + 1) })}</legend>
          <LanguageControl
            channel={channel}
            content={content}
            faults={faultsOf(faults, `contents[${i}]`)}
            onChange={(changed) => onChange(contents.with(i, changed))}
          />
          {contents.length > 1 && (
            <div>
              <Button
                kind="quiet"
                label={t("form.removeEntry", { label, number: String(i + 1) })}
                onClick={() => onChange(contents.toSpliced(i, 1))}
              >
                {t("form.remove")}
              </Button>
            </div>
          )}
        </fieldset>
      ))}
      {fault !== undefined && <span class="form-fault">{fault}</span>}
      <div>
        <Button onClick={() => onChange([...contents, nextContent(contents)])}>
          {t("tasks.content.addLanguage")}
        </Button>
      </div>
    </div>
  );
}

/** A further language begins with the values of the first. */
function nextContent([first = defaultContent]: readonly ContentDraft[]): ContentDraft {
  return { ...first, language: "" };
}

interface LanguageControlProps {
  readonly channel: Channel;
  readonly content: ContentDraft;
  readonly faults: Faults;
  readonly onChange: (content: ContentDraft) => void;
}

const { language } = ContentSchema.field;

/** The content in one language. */
function LanguageControl(props: LanguageControlProps) {
  const { content, faults, onChange } = props;
  return (
    <div class="stack">
      <div class="form-fields">
        <Field
          label={labelOf(language)}
          limits={sayLimits(language) ?? ""}
          value={content.language}
          error={faults.get("language")}
          isRequired
          onInput={(value) => onChange({ ...content, language: value })}
        />
      </div>
      <ContentControl {...props} />
    </div>
  );
}
