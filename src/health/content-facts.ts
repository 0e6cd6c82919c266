import type { BaseMessage } from "@langchain/core/messages";

/** What the rules ask of a message's content, read in one pass over its blocks. */
export interface ContentFacts {
  /** Whether there is none, not even an empty one, as some stores hand messages back. */
  readonly isMissing: boolean;
  /** The whole content where it is a text. */
  readonly text: string | undefined;
  readonly blocks: number;
  /** The kinds of its blocks. */
  readonly types: ReadonlySet<string>;
  readonly firstType: string | undefined;
  /** Text blocks that are empty or nothing but white space. */
  readonly blankTexts: number;
  /** Those of them that are empty. */
  readonly emptyTexts: number;
  readonly unsignedThinking: boolean;
  /** Sizes of its images, in bytes or base64 characters; 0 for one given by address. */
  readonly images: readonly number[];
  /** Made by LangChain's `output_version: "v1"`: every client converts it by the standard. */
  readonly isStandard: boolean;
}

/** Reads a message's content; whatever a getter of it throws comes through. */
export function readContent(message: BaseMessage): ContentFacts {
  const content = message.content as unknown;
  const isStandard =
    (message.response_metadata as { output_version?: unknown } | undefined)
      ?.output_version === "v1";
  if (!Array.isArray(content)) {
    const text = typeof content === "string" ? content : "";
    const isMissing = content === undefined || content === null;
    return { ...NO_BLOCKS, isMissing, text, isStandard };
  }
  const types = new Set<string>();
  const images: number[] = [];
  let firstType: string | undefined;
  let blankTexts = 0;
  let emptyTexts = 0;
  let unsignedThinking = false;
  for (const block of content as readonly unknown[]) {
    const fields = fieldsOf(block);
    const type = kindOf(fields);
    firstType ??= type;
    types.add(type);
    if (type === "text" && isBlank(fields.text)) {
      blankTexts += 1;
      emptyTexts += fields.text === "" ? 1 : 0;
    } else if (type === "thinking") {
      unsignedThinking ||=
        typeof fields.signature !== "string" || fields.signature === "";
    } else if (IMAGE_KINDS.has(type)) {
      images.push(imageSize(fields));
    }
  }
  return {
    isMissing: false,
    text: undefined,
    blocks: content.length,
    types,
    firstType,
    blankTexts,
    emptyTexts,
    unsignedThinking,
    images,
    isStandard,
  };
}

/** Whether a text says nothing. */
export function isBlank(text: unknown): boolean {
  return typeof text !== "string" || text.trim() === "";
}

/** The kind of a content block; of Gemini's parts, which have none, only calls are known. */
export function kindOf(block: unknown): string {
  const fields = fieldsOf(block);
  if (typeof fields.type === "string") {
    return fields.type;
  }
  return "functionCall" in fields ? "functionCall" : "(no type)";
}

/** Size of an image block in bytes or base64 characters, 0 where it is given by address. */
export function imageSize(block: unknown): number {
  const fields = fieldsOf(block);
  const { image_url, source, image, data, url } = fields;
  const address =
    typeof image_url === "object" ? fieldsOf(image_url).url : image_url;
  return (
    dataUrlSize(address) ||
    dataUrlSize(url) ||
    lengthOf(data) ||
    lengthOf(fieldsOf(source).data) ||
    lengthOf(fieldsOf(fieldsOf(image).source).bytes)
  );
}

/** Whether a block of this kind is an image. */
export function isImageKind(kind: string): boolean {
  return IMAGE_KINDS.has(kind);
}

const IMAGE_KINDS: ReadonlySet<string> = new Set([
  "image",
  "image_url",
  "input_image",
]);

const NO_BLOCKS = {
  blocks: 0,
  types: new Set<string>(),
  firstType: undefined,
  blankTexts: 0,
  emptyTexts: 0,
  unsignedThinking: false,
  images: [],
} as const;

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)
    : {};
}

function dataUrlSize(address: unknown): number {
  return typeof address === "string" && address.startsWith("data:")
    ? address.length - address.indexOf(",") - 1
    : 0;
}

function lengthOf(data: unknown): number {
  const length = (data as { length?: unknown } | undefined | null)?.length;
  return typeof length === "number" ? length : 0;
}
