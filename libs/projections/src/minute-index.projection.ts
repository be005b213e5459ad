import { movesLogTime } from '@refledger/domain';
import type { Document } from '@refledger/read-store';
import { paddedPosition } from './padded-position.js';
import type { DocumentKey, Projection } from './projection.js';

/**
 * The first position that was recorded in each minute, and in each hour, day, month and year. So
 * the first position recorded in or after any minute is found with a few lookups, even if clocks
 * differ or are set back. Events that an operator takes out of log time are not in it. A year in
 * which something happens every minute takes 535,000 documents.
 */
export const minuteIndexProjection: Projection = {
  name: 'minute_index',
  version: 1,
  followsLogTime: true,
  collections: [
    {
      name: 'spans',
      indexes: [{ fields: ['within', 'position', 'span'] }, { fields: ['position', 'span'] }],
    },
  ],
  keysOf: ({ metadata }) => (movesLogTime(metadata) ? keysOfTime(metadata.recorded_at) : []),
  evolve: (document, { position }, { id }) =>
    document === undefined ? documentOf(id, paddedPosition(position)) : undefined,
};

/** The first position recorded in a span of time. */
export interface SpanDocument extends Document {
  /** The start of an instant's text: `2026-11-24T10:05`, `2026-11-24T10`, `2026-11-24`, … */
  readonly span: string;
  /** The next longer span, which this one is in; empty for a year. */
  readonly within: string;
  /** Padded, so that its order as text is that of positions. */
  readonly position: string;
}

/** The spans of an instant, from its minute to its year. */
export const spansOf = (instant: string): readonly string[] =>
  spanLengths.map((length) => instant.slice(0, length));

/** The span that a span is in; empty for a year. */
export const spanAround = (span: string): string =>
  span.slice(0, spanLengths.find((length) => length < span.length) ?? 0);

const spanLengths = ['2026-11-24T10:05', '2026-11-24T10', '2026-11-24', '2026-11', '2026'].map(
  ({ length }) => length,
);

const documentOf = (span: string, position: string): SpanDocument => ({
  span,
  within: spanAround(span),
  position,
});

/** The keys of the last minute: nearly every event is in the same minute as the one before it. */
let last: { readonly minute: string; readonly keys: readonly DocumentKey[] } = {
  minute: '',
  keys: [],
};

const keysOfTime = (instant: string): readonly DocumentKey[] => {
  if (last.minute === '' || !instant.startsWith(last.minute)) {
    const keys = spansOf(instant).map((id) => ({ collection: 'spans', id, isFinal: true }));
    last = { minute: keys[0]?.id ?? '', keys };
  }
  return last.keys;
};
