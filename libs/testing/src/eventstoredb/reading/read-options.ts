import type * as messages from '@eventstore/db-client/generated/streams_pb.js';
import { ReadReq } from '../protocol.js';
import type { StoredRecord } from '../sqlite/double-store.js';

/** The options of a read. */
export type ReadOptions = messages.ReadReq.Options;

export const isBackwards = (options: ReadOptions): boolean =>
  options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS;

/** Returns the requested position in `$all`, or the fallback when none is given. */
export const startOf = (options: ReadOptions, fallback: number): number => {
  const position = options.getAll()?.getPosition();
  return position === undefined ? fallback : Number(position.getCommitPosition());
};

export const countOf = (options: ReadOptions): number =>
  options.hasCount() ? Number(options.getCount()) : Infinity;

/**
 * Returns a test for the requested records of `$all`: by prefixes or a pattern, of their stream or
 * of their type.
 */
export const filterOf = (options: ReadOptions): ((record: StoredRecord) => boolean) => {
  const filter = options.getFilter();
  const expression = filter?.getStreamIdentifier() ?? filter?.getEventType();
  if (filter === undefined || expression === undefined) return () => true;
  const subject = (record: StoredRecord): string =>
    filter.hasStreamIdentifier() ? record.stream : record.type;
  const [prefixes, regex] = [expression.getPrefixList(), expression.getRegex()];
  if (regex !== '') {
    const pattern = new RegExp(regex);
    return (record) => pattern.test(subject(record));
  }
  return (record) => prefixes.some((prefix) => subject(record).startsWith(prefix));
};
