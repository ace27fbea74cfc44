/** Gives the browser a file to save. A byte order mark tells spreadsheets that it is UTF-8. */
export function saveCsv(name: string, parts: readonly string[]): void {
  const blob = new Blob(["\u{feff}", ...parts], { type: "text/csv;charset=utf-8" });
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own hold of the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
