import { t } from "../../../texts/texts.ts";
import type { MappingFault } from "./mapping.ts";

/** Says what is wrong with a mapping. */
export function faultText(fault: MappingFault): string {
  switch (fault.kind) {
    case "event":
      return t("import.name.wrong", { name: fault.text });
    case "user":
      return t("import.user.missing");
    case "property":
      return t("import.name.wrong", { name: fault.name });
    case "twice":
      return t("import.name.twice", { name: fault.name });
  }
}
