import fc from "fast-check";

// One unit of every class that the encodings tell apart, and what they have rules for.
const UNITS = [
  ...Array.from("aAbzZsStTdDmMrReEvVlL' \t\r\n//..=(){}0129５Ⅷ"),
  ...Array.from("中あéÉßǅʰʼक한\u0301\u0308\u093f\u200d\ufe0f😀👩𝒜𐐀𐐨"),
  ...Array.from("\ufeff\u00a0\u2028\u3000\u0085\ud800"),
  "\udc00",
  "  ",
  "\r\n",
  "'ll",
  "'RE",
  "don't",
  "the",
  "HTTP",
  "<|endoftext|>",
  "<|endofprompt|>",
  "<|fim_prefix|>",
];

const mixed = fc
  .array(fc.constantFrom(...UNITS), { maxLength: 40 })
  .map((units) => units.join(""));

const alternations = fc
  .uniqueArray(fc.constantFrom(...UNITS), { minLength: 1, maxLength: 4 })
  .chain((units) =>
    fc
      .array(fc.constantFrom(...units), { maxLength: 60 })
      .map((text) => text.join("")),
  );

const runs = fc
  .tuple(fc.constantFrom(...UNITS), fc.nat({ max: 80 }), mixed)
  .map(([unit, times, rest]) => unit.repeat(times) + rest);

const letters = fc.string({
  unit: fc.nat({ max: 25 }).map((at) => String.fromCharCode(97 + at)),
  maxLength: 60,
});

const anyCodePoints = fc.string({ unit: "binary", maxLength: 40 });

const anyUnits = fc
  .array(fc.nat({ max: 0xffff }), { maxLength: 30 })
  .map((units) => String.fromCharCode(...units));

/** Texts of many alphabets, none so long that a quadratic tokenizer would not do. */
export const generatedText: fc.Arbitrary<string> = fc.oneof(
  mixed,
  alternations,
  runs,
  letters,
  anyCodePoints,
  anyUnits,
);
