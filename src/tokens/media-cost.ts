type Fields = Readonly<Record<string, unknown>>;

/** Tokens of a medium whose size or length nobody states. */
export const MEDIA_TOKENS = {
  /** What the largest usual one costs. */
  image: 1_600,
  /** A minute at Gemini's 32 tokens a second. */
  audio: 1_920,
  /** Ten seconds at Gemini's 263 tokens a second. */
  video: 2_630,
  /** Not read as text: a PDF page at Anthropic's upper 3,000 tokens. */
  file: 3_000,
} as const;

type MediaKind = keyof typeof MEDIA_TOKENS;

const OPENAI_UNSIZED_IMAGE_TOKENS = 1_105;

const MEDIA_BY_TYPE: Readonly<Record<string, MediaKind>> = {
  image: "image",
  image_url: "image",
  image_file: "image",
  input_image: "image",
  computer_screenshot: "image",
  image_generation_call: "image",
  audio: "audio",
  audio_url: "audio",
  input_audio: "audio",
  output_audio: "audio",
  video: "video",
  video_url: "video",
  input_video: "video",
  file: "file",
  input_file: "file",
  document: "file",
  container_upload: "file",
};

const MEDIA_BY_KEY = {
  inlineData: undefined,
  inline_data: undefined,
  fileData: undefined,
  file_data: undefined,
  image: "image",
  document: "file",
  video: "video",
  audio: "audio",
} as const;

const OPENAI_IMAGES = new Set(["image_url", "input_image", "image_file"]);

/**
 * Tokens of a content block that carries an image, audio, a video or a file,
 * and `undefined` for a block that carries none.
 *
 * Never reads the data itself. Understands LangChain's standard blocks and the
 * forms of OpenAI, Anthropic, Google and Bedrock.
 */
export function countMedia(block: Fields): number | undefined {
  const { type } = block;
  if (typeof type === "string") {
    const kind = Object.hasOwn(MEDIA_BY_TYPE, type)
      ? MEDIA_BY_TYPE[type]
      : undefined;
    if (kind !== undefined) {
      return kind === "image" ? countImage(block) : MEDIA_TOKENS[kind];
    }
    // LangChain's Google packages call every medium "media"; a Buffer comes
    // back from JSON as a list of its bytes.
    if (type === "media" || (type === "Buffer" && Array.isArray(block.data))) {
      return countByMimeType(block);
    }
  }
  for (const key in MEDIA_BY_KEY) {
    const carried = block[key];
    if (typeof carried === "object" && carried !== null) {
      const kind = MEDIA_BY_KEY[key as keyof typeof MEDIA_BY_KEY];
      return kind === undefined
        ? countByMimeType(carried as Fields)
        : MEDIA_TOKENS[kind];
    }
  }
  return undefined;
}

/** Tokens of data that is given as a data URL, by its media type. */
export function countDataUrl(url: string): number {
  if (url.startsWith("data:image/")) {
    return MEDIA_TOKENS.image;
  }
  if (url.startsWith("data:audio/")) {
    return MEDIA_TOKENS.audio;
  }
  return url.startsWith("data:video/") ? MEDIA_TOKENS.video : MEDIA_TOKENS.file;
}

/** Whether a text is nothing but binary data: a base64 data URL, or one long run of base64. */
export function isBinaryText(text: string): boolean {
  if (text.startsWith("data:")) {
    return text.slice(0, 200).includes(";base64,");
  }
  return (
    text.length >= BASE64_MIN_CHARS &&
    isBase64(text, 0, BASE64_MIN_CHARS) &&
    isBase64(text, text.length - 64, text.length)
  );
}

const BASE64_MIN_CHARS = 512;

function isBase64(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    const inAlphabet =
      (code >= 97 && code <= 122) || // a-z
      (code >= 65 && code <= 90) || // A-Z
      (code >= 47 && code <= 57) || // "/" and 0-9
      code === 43 || // "+"
      code === 45 || // "-"
      code === 61 || // "="
      code === 95; // "_"
    if (!inAlphabet) {
      return false;
    }
  }
  return true;
}

function countByMimeType(block: Fields): number {
  const mimeType = block.mimeType ?? block.mime_type;
  return typeof mimeType === "string"
    ? countDataUrl(`data:${mimeType}`)
    : MEDIA_TOKENS.file;
}

function countImage(block: Fields): number {
  const nested =
    block.image_url ?? block.source ?? block.image ?? block.metadata;
  const inner =
    typeof nested === "object" && nested !== null ? (nested as Fields) : {};
  if ((block.detail ?? inner.detail) === "low") {
    return OPENAI_IMAGE_BASE;
  }
  const metadata = (block.metadata ?? inner) as Fields;
  const width = block.width ?? inner.width ?? metadata.width;
  const height = block.height ?? inner.height ?? metadata.height;
  const isOpenAI = OPENAI_IMAGES.has(block.type as string);
  if (!isSide(width) || !isSide(height)) {
    return isOpenAI ? OPENAI_UNSIZED_IMAGE_TOKENS : MEDIA_TOKENS.image;
  }
  return isOpenAI
    ? openAIImageTokens(width, height)
    : anthropicImageTokens(width, height);
}

function isSide(side: unknown): side is number {
  return typeof side === "number" && side > 0 && Number.isFinite(side);
}

// OpenAI's guide to vision costs (GPT-4o): fit into 2048 × 2048, bring the
// shorter side down to 768, then 170 tokens for each tile of 512 and 85 once.
const OPENAI_IMAGE_BASE = 85;

function openAIImageTokens(width: number, height: number): number {
  const fit = Math.min(1, 2_048 / Math.max(width, height));
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit));
  const tiles =
    Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
  return OPENAI_IMAGE_BASE + 170 * tiles;
}

// Anthropic's guide to vision costs: width × height / 750, after the longer
// side is brought down to 1568 and the whole to about 1,600 tokens.
function anthropicImageTokens(width: number, height: number): number {
  const scale = Math.min(1, 1_568 / Math.max(width, height));
  return Math.min(
    MEDIA_TOKENS.image,
    Math.ceil((width * scale * height * scale) / 750),
  );
}
