import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../../../services/analysis/platform/upstream/redact.ts";
import { collect, token } from "../platform-engine.ts";

const { text, bytes, stream, error } = createRedactor(token);
const forms = [
  token,
  encodeURIComponent(token),
  encodeURIComponent(token).toLowerCase(),
  new URLSearchParams({ t: token }).toString().slice(2),
];

async function* piecesOf(buffer: Buffer, sizes: readonly number[]) {
  let at = 0;
  for (let i = 0; at < buffer.length; i++) {
    const size = sizes[i % sizes.length]!;
    yield buffer.subarray(at, at + size);
    at += size;
  }
}

describe("a token is masked", () => {
  test.each(forms)("as %s", (form) => {
    expect(text(`a ${form} b ${form}`)).toBe("a *** b ***");
    expect(Buffer.from(bytes(Buffer.from(`ü${form}`))).toString()).toBe("ü***");
  });

  test("as JSON writes it", () => {
    const odd = 'quo"ted\\token';
    expect(createRedactor(odd).text(JSON.stringify({ a: odd }))).toBe('{"a":"***"}');
  });

  test("of any length", () => {
    const short = createRedactor("t0k3n");
    expect(short.text("token=t0k3n")).toBe("token=***");
    expect(Buffer.from(short.bytes(Buffer.from("token=t0k3n"))).toString()).toBe("token=***");
  });

  test("in an error, its stack and its causes, with the codes kept", () => {
    const cause = Object.assign(new Error(`cause ${token}`), { code: "E1" });
    const copy = error(new TypeError(`message ${token}`, { cause }));
    expect(copy).toMatchObject({
      name: "TypeError",
      message: "message ***",
      cause: { message: "cause ***", code: "E1" },
    });
    expect(copy.stack).not.toContain(token);
  });

  test("in something thrown that is no error", () => {
    expect(error(token).message).toBe("***");
  });
});

test("bytes without the token are the same object", () => {
  const given = Buffer.from([0, 255, 128]);
  expect(bytes(given)).toBe(given);
});

test("a stream is masked however it is cut", async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  const parts = fc.array(
    fc.oneof(
      fc.constantFrom(...forms),
      fc.string({ maxLength: 20 }),
      fc.nat(token.length).map((length) => token.slice(0, length)),
    ),
  );
  await fc.assert(
    fc.asyncProperty(parts, sizes, async (texts, cuts) => {
      // Two overlapping tokens could be masked from either side.
      const whole = Buffer.from(texts.join("|"));
      const streamed = Buffer.concat(await collect(stream(piecesOf(whole, cuts))));
      expect(streamed.toString()).toBe(text(whole.toString()));
    }),
  );
});

test("a stream goes on at once with all that is not the beginning of a token", async () => {
  const pieces = await collect(stream(piecesOf(Buffer.from(`abc${token.slice(0, 3)}xyz`), [6])));
  expect(pieces.map(String)).toEqual(["abc", `${token.slice(0, 3)}xyz`]);
});
