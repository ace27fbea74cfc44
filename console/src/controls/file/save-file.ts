/** Gives the browser a file to save. */
export function saveFile(name: string, parts: readonly string[], type: string): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Gives the browser a file of CSV to save. A byte order mark tells spreadsheets that it is UTF-8. */
export function saveCsv(name: string, parts: readonly string[]): void {
  saveFile(name, ["\u{feff}", ...parts], "text/csv;charset=utf-8");
}
