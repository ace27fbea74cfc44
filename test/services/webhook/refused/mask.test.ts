import fc from "fast-check";
import { expect, test } from "vitest";
import { compileByteMask } from "../../../../services/webhook/refused/mask.ts";

/** Marks the bytes of every secret at every place. */
function maskSlowly(secrets: readonly string[], text: string): string {
  const isSecret = new Set<number>();
  for (const secret of secrets.filter((one) => one !== "")) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
      for (let place = at; place < at + secret.length; place++) isSecret.add(place);
    }
  }
  return Array.from(text, (character, at) => (isSecret.has(at) ? "*" : character)).join("");
}

const texts = (maxLength: number) =>
  fc.array(fc.constantFrom("a", "b"), { maxLength }).map((letters) => letters.join(""));

test("each byte of a secret becomes an asterisk, also where secrets overlap", () => {
  fc.assert(
    fc.property(fc.array(texts(9), { maxLength: 5 }), texts(60), (secrets, text) => {
      const bytes = Buffer.from(text);
      compileByteMask(secrets.map((secret) => Buffer.from(secret)))(bytes);
      expect(bytes.toString()).toBe(maskSlowly(secrets, text));
    }),
  );
});
