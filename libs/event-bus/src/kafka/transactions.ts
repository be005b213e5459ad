import type { PublishedRecord } from '../event-bus.js';
import type { toMessage } from './message.js';

export interface Publishing {
  readonly record: PublishedRecord;
  readonly message: ReturnType<typeof toMessage>;
}

/** What goes in one transaction each, in order; at least one, which may be empty. */
export function* inTransactions(
  all: readonly Publishing[],
  mostBytes = defaultMostBytes,
): Generator<{ readonly part: readonly Publishing[]; readonly isLast: boolean }> {
  let part: Publishing[] = [];
  let bytes = 0;
  for (const publishing of all) {
    const size = Buffer.byteLength(publishing.message.value) + bytesBesideValue;
    if (part.length > 0 && bytes + size > mostBytes) {
      yield { part, isLast: false };
      part = [];
      bytes = 0;
    }
    part.push(publishing);
    bytes += size;
  }
  yield { part, isLast: true };
}

/** Half of what a broker takes in one batch of a partition by default. */
const defaultMostBytes = 512 * 1024;
/** Headers and key. */
const bytesBesideValue = 400;
