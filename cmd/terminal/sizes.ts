const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Bytes for people to read, such as `1.5 GiB`. */
export function sizeOf(bytes: number | bigint): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(1, Number(bytes))) / 10), units.length - 1);
  const amount = Number(bytes) / 1_024 ** power;
  return `${amount.toLocaleString("en", { maximumFractionDigits: 1 })} ${units[power]}`;
}
