import { expect, it } from "vitest";
import { describeHtmlPage } from "../../../base/text/html-page.ts";

const titled = (title: string) => `an HTML page with the title ${title}`;

it.each([
  ["<html><head><title>502 Bad Gateway</title></head>", titled('"502 Bad Gateway"')],
  ["<!DOCTYPE html>\n<html lang=en>\n<TITLE a=b>\n Sign\n in </TITLE>", titled('"Sign in"')],
  ["\ufeff \r\n<!doctype HTML><title>a</title>", titled('"a"')],
  ["<title>a", titled('"a"')],
  ['<html><title>a"b\u0007</title>', titled('"a\\"b\\u0007"')],
  [`<html><title>${"x".repeat(300)}`, titled(`"${"x".repeat(100)}…" (300 characters)`)],
  ["<html><body>502</body></html>", "an HTML page without a title"],
  ["<html><title> </title>", "an HTML page without a title"],
  [`<html>${" ".repeat(2_100)}<title>far</title>`, "an HTML page without a title"],
  // Long enough to end in a timeout if each tag began a search of its own.
  [`<html>${"<title".repeat(1_000_000)}`, "an HTML page without a title"],
  ["", undefined],
  ["<htmlx>", undefined],
  ["<?xml version='1.0'?><title>a</title>", undefined],
  ["bad gateway <html>", undefined],
  ['{"return_code":1}', undefined],
])("%.60s is %s", (text, description) => {
  expect(describeHtmlPage(text)).toBe(description);
});
