import { Select } from "../controls/field.tsx";
import { localZone } from "../texts/formats.ts";
import { t } from "../texts/texts.ts";
import { language, theme, themes, zone } from "./preferences.ts";

/** The names of the languages, each in itself. */
const languageNames = [
  { value: "en", text: "English" },
  { value: "zh", text: "中文" },
] as const;

/** The choices that hold for all pages. */
export function PreferenceBar() {
  return (
    <div class="row">
      <Select
        isCompact
        label={t("shell.zone")}
        value={zone.value}
        options={[
          { value: "", text: t("shell.zone.local", { zone: localZone }) },
          { value: "UTC", text: "UTC" },
        ]}
        onChange={(value) => {
          zone.value = value;
        }}
      />
      <Select
        isCompact
        label={t("shell.language")}
        value={language.value}
        options={languageNames}
        onChange={(value) => {
          language.value = value;
        }}
      />
      <Select
        isCompact
        label={t("shell.theme")}
        value={theme.value}
        options={themes.map((value) => ({ value, text: t(`shell.theme.${value}`) }))}
        onChange={(value) => {
          theme.value = value;
        }}
      />
    </div>
  );
}
