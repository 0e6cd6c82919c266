import { Random } from "./random.js";

/** English sentences of about so many characters. */
export function prose(random: Random, characters: number): string {
  return cut(PROSE, random, characters);
}

/** What tools return: log lines, records in JSON, listings. */
export function records(random: Random, characters: number): string {
  return cut(RECORDS, random, characters);
}

const WORDS =
  "the a of to and in for is on that with as by from this which request response server worker queue order account invoice customer payment shipment index cache token session release branch review change build failure timeout retry handler module function value result message error warning checks returns updates removes creates after before between because however usually again already still new old large small open closed first last".split(
    " ",
  );

const POOL_CHARACTERS = 400_000;
const PROSE = makePool(7, sentence);
const RECORDS = makePool(8, record);

function makePool(seed: number, make: (random: Random) => string): string {
  const random = new Random(seed);
  const parts: string[] = [];
  for (let length = 0; length < POOL_CHARACTERS;) {
    const part = make(random);
    parts.push(part);
    length += part.length;
  }
  return parts.join("");
}

function sentence(random: Random): string {
  const words = Array.from({ length: 6 + random.below(14) }, () =>
    random.pick(WORDS),
  );
  const [first, ...others] = words.join(" ");
  return `${first!.toUpperCase()}${others.join("")}. `;
}

function record(random: Random): string {
  const word = (): string => random.pick(WORDS);
  const time = `2024-05-${10 + random.below(20)}T1${random.below(10)}:${10 + random.below(50)}:00Z`;
  const id = random.below(1e9).toString(16);
  switch (random.below(3)) {
    case 0:
      return `${time} INFO [${word()}-${random.below(20)}] ${word()} ${word()} in ${random.below(5_000)} ms id=${id}\n`;
    case 1:
      return `${JSON.stringify({ id, time, kind: word(), amount: random.below(1e5) / 100, tags: [word(), word()] })}\n`;
    default:
      return `src/${word()}/${word()}-${word()}.ts:${random.below(900)}: export const ${word()} = ${random.below(100)};\n`;
  }
}

function cut(pool: string, random: Random, characters: number): string {
  let text = "";
  while (text.length < characters) {
    const start = random.below(pool.length);
    text += pool.slice(start, start + characters - text.length);
  }
  return text;
}
