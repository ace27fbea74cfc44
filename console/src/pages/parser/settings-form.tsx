import { Button } from "../../controls/button.tsx";
import { Card } from "../../controls/card.tsx";
import { Field, Select } from "../../controls/field.tsx";
import { t } from "../../texts/texts.ts";
import { type FormatSource, formatSources, framings, type Settings } from "./request.ts";

interface SettingsFormProps {
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

/** How the content is split and which formats are applied. */
export function SettingsForm({ settings, onChange }: SettingsFormProps) {
  const change = (changes: Partial<Settings>): void => onChange({ ...settings, ...changes });
  const { framing, index, source, format, inline } = settings;
  return (
    <Card title={t("parser.settings")} isPadded>
      <div class="parser-settings">
        <Select
          label={t("parser.framing")}
          value={framing}
          options={Object.keys(framings).map((value) => ({ value, text: framingText(value) }))}
          onChange={(value) => change({ framing: value as Settings["framing"] })}
        />
        <Field
          label={t("parser.index")}
          limits={t("parser.index.limits")}
          value={index}
          onInput={(value) => change({ index: value })}
        />
        <Select
          label={t("parser.formats")}
          value={source}
          options={formatSources.map((value) => ({ value, text: t(`parser.formats.${value}`) }))}
          onChange={(value) => change({ source: value as FormatSource })}
        />
        {source === "name" && (
          <Field
            label={t("parser.format")}
            limits={t("parser.format.limits")}
            value={format}
            onInput={(value) => change({ format: value })}
          />
        )}
        {source === "inline" && (
          <Field
            label={t("parser.inline")}
            limits={t("parser.inline.limits")}
            rows={12}
            value={inline}
            onInput={(value) => change({ inline: value })}
          />
        )}
        <div>
          <Button kind="main" type="submit">
            {t("parser.run")}
          </Button>
        </div>
      </div>
    </Card>
  );
}

function framingText(value: string): string {
  return value === "" ? t("parser.framing.configured") : t(`parser.framing.${value as "items"}`);
}
