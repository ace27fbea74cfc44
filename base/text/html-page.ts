import { quoteText } from "./quote.ts";

/** The beginning of a page, which has its title. */
const beginningLength = 2_048;

/**
 * Describes an HTML page, such as the error page of a proxy, by its title, which is quoted and cut to 100 characters.
 * Returns undefined for other texts.
 */
export function describeHtmlPage(text: string): string | undefined {
  const beginning = text.slice(0, beginningLength);
  if (!/^\ufeff?\s*<(?:!doctype\s+html|html|head|title)\b/i.test(beginning)) return undefined;
  const title = /<title\b[^>]*>([^<]*)/i.exec(beginning)?.[1]?.replace(/\s+/g, " ").trim() ?? "";
  return title === "" ? "an HTML page without a title" : `an HTML page with the title ${quoteText(title)}`;
}
