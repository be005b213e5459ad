import type { BalanceEvent, CarriedState, RecordedEvent } from '@refledger/contracts';
import { carriedState, noBalance, type BalanceState } from './balance-state.js';
import { inPieces } from './buckets.js';
import { chainStart } from './hash-chain.js';
import type { BalanceKey } from './owed.js';

/** The number of events in a full chapter. The last one, and no other, is `balance.closed`. */
export const chapterLength = 1000;

/** Where an event of a balance is: its chapter, and its revision in the stream of the chapter. */
export interface ChapterRevision {
  readonly chapter: number;
  readonly revision: number;
}

/** The number of the chapter ends the name of its stream. */
export const chapterRevisionOf = ({
  stream,
  revision,
}: Pick<RecordedEvent, 'stream' | 'revision'>): ChapterRevision => ({
  chapter: Number(stream.slice(stream.lastIndexOf('-') + 1)),
  revision,
});

/** Ranges per `balance.carried`: about 256 KiB, at up to 100 bytes each. */
const maxRanges = 2_500;

/** Returns the event that starts the first chapter of a balance. */
export const firstOpening = (about: BalanceKey): BalanceEvent =>
  opened(about, 0, { ...carriedState(noBalance), chain: chainStart(about.balance_id) });

/**
 * Returns the events that start the chapter after a closed one, always the same. Each of them is
 * appended by itself, so that the open buckets may have any size.
 */
export const openingOf = (
  closed: BalanceState,
  ranges: number = maxRanges,
): readonly BalanceEvent[] => {
  const about = requireAbout(closed);
  const pieces = inPieces(closed.buckets, ranges);
  return [
    opened(about, closed.chapter + 1, carriedState(closed), pieces.length),
    ...pieces.map((buckets) => ({ type: 'balance.carried', data: { ...about, buckets } }) as const),
  ];
};

/** Returns the event that ends a chapter. */
export const closingOf = (state: BalanceState): BalanceEvent => ({
  type: 'balance.closed',
  data: { ...requireAbout(state), state: carriedState(state) },
});

const opened = (
  about: BalanceKey,
  chapter: number,
  state: CarriedState,
  carried = 0,
): BalanceEvent => ({ type: 'balance.opened', data: { ...about, chapter, state, carried } });

const requireAbout = ({ about }: BalanceState): BalanceKey => {
  if (about === undefined) throw new TypeError('a balance without events has no chapter to close');
  return about;
};
