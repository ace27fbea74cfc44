import { Button } from "../../../controls/button.tsx";
import { formatNumber } from "../../../texts/formats.ts";
import { t } from "../../../texts/texts.ts";
import { startOf } from "../result/parts.ts";

interface PartPagerProps {
  readonly label: string;
  readonly first: number;
  readonly size: number;
  readonly count: number;
  readonly onFirst: (first: number) => void;
}

/** The way through parts of what is loaded; nothing where one part has all. */
export function PartPager({ label, first, size, count, onFirst }: PartPagerProps) {
  if (count <= size) return null;
  const start = startOf(first, size, count);
  const end = Math.min(count, start + size);
  return (
    <nav class="row" aria-label={label}>
      <Button
        obstacle={start === 0 ? t("query.part.atFirst") : undefined}
        onClick={() => onFirst(start - size)}
      >
        {t("query.part.previous")}
      </Button>
      <Button obstacle={end === count ? t("query.part.atLast") : undefined} onClick={() => onFirst(end)}>
        {t("query.part.next")}
      </Button>
      <span class="muted number">
        {t("query.part", {
          label,
          first: formatNumber(start + 1),
          last: formatNumber(end),
          count: formatNumber(count),
        })}
      </span>
    </nav>
  );
}
