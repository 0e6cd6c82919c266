import { randomNumbers } from "./random.js";

/** Texts made by rules: those of the fit and those of the test come from different ones. */
export interface Generated {
  kind: string;
  source: string;
  isFitted: boolean;
  text: string;
}

const random = randomNumbers(7);
const below = (limit: number): number => Math.floor(random() * limit);
const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
const times = (count: number, make: () => string): string[] =>
  Array.from({ length: count }, make);
const two = (value: number): string => String(value).padStart(2, "0");
const letters = (alphabet: string, length: number): string =>
  times(length, () => alphabet[below(alphabet.length)]!).join("");
const hex = (length: number): string => letters("0123456789abcdef", length);
const decimal = (limit: number, digits: number): string =>
  (random() * limit).toFixed(digits);

const NOUNS =
  "request user session order payment cache queue worker database connection timeout retry handler service token payload message stream client server index shard replica node cluster volume disk memory thread lock transaction commit rollback".split(
    " ",
  );
const CHAT =
  "great job everyone see you tomorrow this is amazing happy birthday thanks for the update lets ship it new release is out please review my pull request".split(
    " ",
  );
const COMMON_EMOJI = [
  ..."😀😂🤣😊😍🙏👍🔥🎉✨💡🚀✅❌📦🐛🔧📝💯🤔😅😎🥳👀🙌💪🌟⭐🌈🍕🍔☕🎂🎁🏆⚽🎵📱💻📊📈🔒🔑🕐🚗🏠",
  "⚠️",
  "❤️",
  "☀️",
  "🖥️",
  "✈️",
  "👨‍👩‍👧‍👦",
  "👩‍💻",
  "🇺🇸",
  "🇩🇪",
  "👋🏽",
];
const ALL_EMOJI = times(0x1fb00 - 0x2190, () => "").flatMap((_, i) => {
  const character = String.fromCodePoint(0x2190 + i);
  return /^\p{Emoji_Presentation}$/u.test(character) ? [character] : [];
});

const ANY_EMOJI = [...COMMON_EMOJI, ...ALL_EMOJI];

const ip = (): string => times(4, () => String(below(256))).join(".");
const clock = (): string =>
  `${two(below(24))}:${two(below(60))}:${two(below(60))}`;
const date = (): string => `2024-${two(1 + below(12))}-${two(1 + below(28))}`;
const uuid = (): string =>
  `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;

const LOGS: Record<string, () => string> = {
  "Java application": () =>
    `${date()}T${clock()}.${below(1000)}Z ${pick(["INFO", "DEBUG", "WARN", "ERROR"])} [${pick(NOUNS)}-${below(20)}] com.example.${pick(NOUNS)}.${pick(["Handler", "Service", "Manager"])} - ${pick(NOUNS)} ${pick(NOUNS)} completed in ${below(5000)} ms (id=${below(1e6)})`,
  nginx: () =>
    `${ip()} - - [${two(1 + below(28))}/Mar/2024:${clock()} +0000] "${pick(["GET", "POST"])} /api/v1/${pick(NOUNS)}s/${below(10000)} HTTP/1.1" ${pick([200, 404, 500, 301])} ${below(100000)} "-" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + below(30)}.0.0.0 Safari/537.36"`,
};
const OTHER_LOGS: Record<string, () => string> = {
  "JSON lines": () =>
    JSON.stringify({
      level: pick([20, 30, 40]),
      time: 1.7e12 + below(1e9),
      pid: below(30000),
      hostname: `web-${below(9)}`,
      reqId: hex(8),
      msg: `${pick(NOUNS)} ${pick(NOUNS)} finished`,
      ms: below(900),
    }),
  syslog: () =>
    `Mar ${1 + below(28)} ${clock()} host${below(9)} ${pick([`sshd[${below(30000)}]: Accepted publickey for root from ${ip()} port ${below(65000)} ssh2`, `systemd[1]: Started Session ${below(999)} of user root.`, `kernel: [${decimal(1e6, 6)}] Out of memory: Killed process ${below(9999)} (node)`])}`,
  Python: () =>
    `${date()} ${clock()},${below(1000)} - ${pick(NOUNS)}.${pick(NOUNS)} - ${pick(["INFO", "WARNING", "ERROR"])} - Could not open ${pick(NOUNS)} '/var/lib/${pick(NOUNS)}/${hex(6)}.db': ${pick(["permission denied", "no such file or directory", "connection reset by peer"])}`,
  Kubernetes: () =>
    `${pick(["I", "W", "E"])}03${two(1 + below(28))} ${clock()}.${below(1e6)}       1 ${pick(NOUNS)}_controller.go:${below(900)}] "Successfully synced" pod="default/${pick(NOUNS)}-${hex(10)}-${hex(5)}" duration="${decimal(900, 3)}ms"`,
};

const TABLES: Record<string, () => string> = {
  sales: () =>
    [
      below(1e5),
      date(),
      pick(["North", "South", "East", "West"]),
      pick(NOUNS),
      decimal(1000, 2),
      below(100),
    ].join(","),
  sensors: () =>
    [
      1.7e9 + below(1e7),
      `sensor_${below(40)}`,
      decimal(100, 4),
      decimal(10, 3),
      random() < 0.5,
    ].join(","),
};
const OTHER_TABLES: Record<string, () => string> = {
  people: () =>
    [
      below(9999),
      `${pick(["Alice", "Bob", "Carlos", "Dana", "Erika", "Faisal"])} ${pick(["Smith", "Jones", "Garcia", "Müller", "Chen", "Okafor"])}`,
      `${pick(NOUNS)}${below(100)}@example.com`,
      `+1-555-${below(9999)}`,
      pick(["active", "inactive", "pending"]),
    ].join(","),
  trades: () =>
    [
      `"${date()} ${clock()}"`,
      letters("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 4),
      decimal(500, 2),
      below(5000),
      pick(["BUY", "SELL"]),
      uuid(),
    ].join(";"),
};

const BASE64 =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function lines(
  kind: string,
  makers: Record<string, () => string>,
  isFitted: boolean,
  count = 2_000,
): Generated[] {
  return Object.entries(makers).map(([source, make]) => ({
    kind,
    source,
    isFitted,
    text: times(count, make).join("\n"),
  }));
}

export const GENERATED: readonly Generated[] = [
  ...lines("logs", LOGS, true),
  ...lines("logs", OTHER_LOGS, false),
  ...lines("CSV", TABLES, true),
  ...lines("CSV", OTHER_TABLES, false),
  ...lines(
    "hex",
    { "64 a line": () => hex(64), "upper case": () => hex(40).toUpperCase() },
    true,
    800,
  ),
  ...lines(
    "hex",
    {
      dump: () => `${hex(8)}: ${times(8, () => hex(4)).join(" ")}`,
      commits: () => `commit ${hex(40)}`,
    },
    false,
    800,
  ),
  ...lines("uuid", { lines: uuid }, true, 1_500),
  ...lines(
    "uuid",
    { "in JSON": () => JSON.stringify({ id: uuid(), parent: uuid() }) },
    false,
    800,
  ),
  { kind: "hex", source: "one line", isFitted: false, text: hex(50_000) },
  ...lines("base64", { "76 a line": () => letters(BASE64, 76) }, true, 700),
  {
    kind: "base64",
    source: "one line",
    isFitted: true,
    text: letters(BASE64, 50_000),
  },
  ...lines(
    "emoji",
    {
      "common, in chat": () =>
        `${times(3 + below(8), () => pick(CHAT)).join(" ")}${pick(["", "!", "..."])} ${times(1 + below(5), () => pick(COMMON_EMOJI)).join(pick(["", " "]))}`,
      "all, after words": () =>
        `${times(2 + below(10), () => pick(NOUNS)).join(" ")}${times(1 + below(3), () => pick(ALL_EMOJI)).join("")}`,
    },
    true,
    1_200,
  ),
  ...lines(
    "emoji",
    {
      "in a list": () =>
        `- ${pick(COMMON_EMOJI)} **${pick(NOUNS)}** ${times(6, () => pick(CHAT)).join(" ")}`,
      "nothing else": () => times(12, () => pick(ANY_EMOJI)).join(""),
    },
    false,
    600,
  ),
];
