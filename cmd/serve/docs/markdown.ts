import { posix } from "node:path";
import { Marked, type Token } from "marked";
import { escapeHtml } from "../../../base/text/escape-html.ts";
import { headingAnchor } from "../../../base/text/heading-anchor.ts";

/** A Markdown file of the documentation. */
export interface Document {
  /** The path within the documentation, such as `reference/errors`. */
  readonly name: string;
  readonly title: string;
  /** The first paragraph, as text. */
  readonly summary: string;
  /** The parts below the headings, the first of which is that of the title. */
  readonly sections: readonly Section[];
  readonly toHtml: () => string;
}

export interface Section {
  readonly heading: string;
  readonly anchor: string;
  readonly depth: number;
  /** The text without marks, for a search. */
  readonly text: string;
}

/** Reads a file. @param served the names of all pages and pictures, to which links may point */
export function readDocument(name: string, markdown: string, served: readonly string[]): Document {
  const marked = new Marked();
  const tokens = marked.lexer(markdown.replace(/<!--[\s\S]*?-->/g, ""));
  marked.walkTokens(tokens, (token) => {
    if (token.type === "link") token["href"] = resolveLink(String(token["href"]), name, served);
    if (token.type === "image") token["href"] = resolvePicture(String(token["href"]), name, served);
  });
  const sections = readSections(tokens);
  const anchors = new Map(sections.map(({ token, anchor }) => [token, anchor]));
  marked.use({
    renderer: {
      heading(token) {
        const id = escapeHtml(anchors.get(token) ?? "");
        return `<h${token.depth} id="${id}">${this.parser.parseInline(token.tokens)}</h${token.depth}>\n`;
      },
      // A link to what is not served is only its text, and so is an image. False means the renderer of the library.
      link: (token) => (token.href === "" ? escapeHtml(textOf(token)) : false),
      image: (token) => (token.href === "" ? escapeHtml(token.text) : false),
      // Long names and values may break after these signs, so that the columns of tables stay narrow.
      codespan: ({ text }) => `<code>${escapeHtml(text).replace(/[_,/]/g, "$&<wbr>")}</code>`,
      html: ({ text }) => (text === "<br>" ? text : escapeHtml(text)),
    },
  });
  const first = tokens.find((token) => token.type === "paragraph");
  return {
    name,
    title: sections[0]?.heading ?? name,
    summary: first === undefined ? "" : textOf(first).replace(/\s+/g, " "),
    sections,
    // A wide table scrolls by itself, so that the page does not. Tables within code are escaped.
    toHtml: () =>
      marked
        .parser(tokens)
        .replaceAll("<table>", '<div class="table"><table>')
        .replaceAll("</table>", "</table></div>"),
  };
}

/** Returns the link without `.md` if it points to a page or a picture, and "" if to another file of the repository. */
function resolveLink(href: string, name: string, served: readonly string[]): string {
  if (/^(?:https?:|#)/.test(href)) return href;
  const [path = "", anchor] = href.split("#", 2);
  const target = posix.join(posix.dirname(name), path).replace(/\.md$/, "");
  if (!served.includes(target)) return "";
  return `${path.replace(/\.md$/, "")}${anchor === undefined ? "" : `#${anchor}`}`;
}

/** Returns the address of a picture of the documentation, and "" of any other image, also of one elsewhere. */
function resolvePicture(href: string, name: string, served: readonly string[]): string {
  const target = posix.join(posix.dirname(name), href);
  return target.endsWith(".svg") && served.includes(target) ? href : "";
}

/** Splits a page at its headings. */
function readSections(tokens: readonly Token[]): readonly (Section & { readonly token: Token })[] {
  const sections: { heading: string; anchor: string; depth: number; text: string; token: Token }[] = [];
  const used = new Map<string, number>();
  for (const token of tokens) {
    if (token.type === "heading") {
      const heading = textOf(token);
      const slug = headingAnchor(heading);
      const before = used.get(slug) ?? 0;
      used.set(slug, before + 1);
      const anchor = before === 0 ? slug : `${slug}-${before}`;
      sections.push({ heading, anchor, depth: Number(token["depth"]), text: "", token });
    } else {
      const section = sections.at(-1);
      if (section !== undefined)
        section.text = `${section.text} ${textOf(token)}`.replace(/\s+/g, " ").trim();
    }
  }
  return sections;
}

/** Returns the text of a token without marks. */
function textOf(token: Token): string {
  const { header = [], rows = [], items, tokens } = token as Nested;
  if (token.type === "table") {
    const cells = [header, ...rows].map((row) => row.map(textOfAll).join(" "));
    return cells.join(" ");
  }
  if (items !== undefined) return items.flatMap((item) => item.tokens.map(textOf)).join(" ");
  if (tokens !== undefined) return textOfAll({ tokens });
  if (token.type === "html") return " ";
  return "text" in token ? String(token.text) : "";
}

interface Nested {
  readonly tokens?: readonly Token[];
  readonly items?: readonly { readonly tokens: readonly Token[] }[];
  readonly header?: readonly { readonly tokens: readonly Token[] }[];
  readonly rows?: readonly (readonly { readonly tokens: readonly Token[] }[])[];
}

function textOfAll({ tokens }: { readonly tokens: readonly Token[] }): string {
  return tokens.map(textOf).join("");
}
