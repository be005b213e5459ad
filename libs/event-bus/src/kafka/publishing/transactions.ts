import type { PublishedRecord } from '../../event-bus.js';
import type { toMessage } from '../message.js';

/** A record and its encoded message. */
export interface EncodedRecord {
  readonly record: PublishedRecord;
  readonly message: ReturnType<typeof toMessage>;
}

/**
 * Splits records into parts of one transaction each, in order. Yields at least one part, which may
 * be empty.
 */
export function* inTransactions(
  all: readonly EncodedRecord[],
  maxBytes = defaultMaxBytes,
): Generator<{ readonly part: readonly EncodedRecord[]; readonly isLast: boolean }> {
  let part: EncodedRecord[] = [];
  let bytes = 0;
  for (const publishing of all) {
    const size = Buffer.byteLength(publishing.message.value) + bytesBesideValue;
    if (part.length > 0 && bytes + size > maxBytes) {
      yield { part, isLast: false };
      part = [];
      bytes = 0;
    }
    part.push(publishing);
    bytes += size;
  }
  yield { part, isLast: true };
}

/** Half of the default limit for one batch of a partition on a broker. */
const defaultMaxBytes = 512 * 1024;
/** Estimates headers and key. */
const bytesBesideValue = 400;
