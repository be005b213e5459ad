import type { ResponseExcerpt } from '@refledger/contracts';
import type { IncomingHttpHeaders } from 'node:http';
import { cut } from './cut.js';
import type { SigningSecrets } from '@refledger/webhook-endpoints';

/** Gathers what is kept of a response: a few of its headers, and the first 2 KiB of its body. */
export class ExcerptWriter {
  private readonly chunks: Buffer[] = [];
  private kept = 0;
  private received = 0;

  constructor(private readonly headers: IncomingHttpHeaders) {}

  add(chunk: Buffer): void {
    this.received += chunk.length;
    if (this.kept === maxBodyBytes || chunk.length === 0) return;
    // a copy, since a chunk may be a view of a much larger buffer
    const part = Buffer.from(chunk.subarray(0, maxBodyBytes - this.kept));
    this.chunks.push(part);
    this.kept += part.length;
  }

  /** The excerpt. Called once, at the end. */
  end(): ResponseExcerpt {
    const isTruncated = this.received > this.kept;
    // if the body is truncated, a character that is cut off at its end is left out
    const text = new TextDecoder().decode(Buffer.concat(this.chunks), { stream: isTruncated });
    return { headers: headersOf(this.headers), body: printable(text), isTruncated };
  }
}

/**
 * The excerpt without the endpoint's secrets, which a receiver knows and may echo. Everyone who may
 * read deliveries sees the excerpt; fewer may read the secrets.
 */
export const withoutSecrets = (
  excerpt: ResponseExcerpt | null,
  { keys, previous = keys }: SigningSecrets,
): ResponseExcerpt | null => {
  if (excerpt === null) return null;
  const texts = [keys, previous]
    .map(({ plain }) =>
      plain
        .export()
        .toString('utf8')
        .replace(/^whsec_/, ''),
    )
    // one may be part of the other
    .sort((a, b) => b.length - a.length);
  const hide = (part: string): string =>
    texts.reduce((shown, text) => withoutBeginning(shown.replaceAll(text, hidden), text), part);
  return {
    ...excerpt,
    headers: excerpt.headers.map(([name, value]) => [hide(name), hide(value)]),
    body: hide(excerpt.body),
  };
};

/** A part without the beginning of a secret that is cut off at the end of the part. */
const withoutBeginning = (part: string, secret: string): string => {
  for (let length = secret.length - 1; length >= leastHidden; length--)
    if (part.endsWith(secret.slice(0, length))) return part.slice(0, -length) + hidden;
  return part;
};

const hidden = '[secret]';
/** Fewer characters give nothing away. */
const leastHidden = 4;

/** At most 20 headers, with at most 200 characters each, but none with credentials. */
const headersOf = (headers: IncomingHttpHeaders): ResponseExcerpt['headers'] =>
  Object.entries(headers)
    .filter(([name]) => !withCredentials.test(name))
    .slice(0, 20)
    .map(([name, value = '']) => [
      cut(name, 200),
      cut(printable(Array.isArray(value) ? value.join(', ') : value), 200),
    ]);

const withCredentials = /cookie|auth|token|secret|api-?key|password|session/i;

/**
 * Replaces control characters, which could change what a terminal shows, but keeps tabs and line
 * ends.
 */
const printable = (text: string): string => text.replace(controls, '\uFFFD');

const controls = /[^\P{Cc}\t\n\r]|[\u202A-\u202E\u2066-\u2069]/gu;

const maxBodyBytes = 2_048;
