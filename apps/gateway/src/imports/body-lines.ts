import { DomainError } from '@refledger/contracts';
import { LineSplitter, type Line } from './line-splitter.js';
import type { Spool } from './spool.js';

export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxLines: number;
  readonly maxLineBytes: number;
}

/**
 * Receives a body as fast as its client sends it. What exceeds the limit is received too, since
 * most clients read no response before they have sent everything; reading the spool then throws
 * `payload_too_large` after the bytes within the limit.
 */
export const receiveBody = async (
  chunks: AsyncIterable<Buffer>,
  into: Pick<Spool, 'write' | 'end'>,
  { maxBytes }: Pick<BodyLimits, 'maxBytes'>,
): Promise<void> => {
  let left = maxBytes;
  for await (const chunk of chunks) {
    const isWithin = chunk.length <= left;
    if (left > 0) await into.write(isWithin ? chunk : chunk.subarray(0, left));
    left = isWithin ? left - chunk.length : 0;
    if (!isWithin) into.end(tooLarge(`${maxBytes} bytes`));
  }
  into.end();
};

/**
 * Yields the lines of a body, without those that are blank, which are only counted. Throws
 * `payload_too_large` after `maxLines` lines.
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  { maxLines, maxLineBytes }: Omit<BodyLimits, 'maxBytes'>,
): AsyncGenerator<Line> {
  const splitter = new LineSplitter(maxLineBytes);
  for await (const chunk of chunks) yield* limitLines(splitter.split(chunk), maxLines);
  yield* limitLines(splitter.end(), maxLines);
}

function* limitLines(lines: Iterable<Line>, maxLines: number): Generator<Line> {
  for (const line of lines) {
    if (line.number > maxLines) throw tooLarge(`${maxLines} lines`);
    if (!isBlank(line)) yield line;
  }
}

const isBlank = ({ bytes }: Line): boolean =>
  bytes?.every((byte) => byte === 0x20 || byte === 0x09) === true;

const tooLarge = (limit: string): DomainError =>
  new DomainError(
    'payload_too_large',
    `The body has more than ${limit}; the lines within the limit have been processed. Send the rest in another request.`,
  );
