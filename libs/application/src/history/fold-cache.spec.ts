import {
  derivedId,
  toPosition,
  type Position,
  type SealedAffiliateRecord,
  type StreamName,
} from '@refledger/contracts';
import { emptyFolds, type RecordFold } from '@refledger/domain';
import { FoldCache } from './fold-cache.js';

const [a, b, c]: readonly StreamName[] = ['refledger.a', 'refledger.b', 'refledger.c'];
const offer = (
  kept: FoldCache,
  stream: StreamName | undefined,
  revision: number,
  fold: RecordFold = emptyFolds.affiliate,
): void => {
  const position = toPosition(`${revision}`) ?? ('0' as Position);
  kept.offer(stream ?? 'refledger.a', { id: '', revision, position, fold });
};
const affiliateWith = (sealed: string): SealedAffiliateRecord => ({
  id: derivedId('affiliate', 'ada'),
  object: 'affiliate',
  program_id: 'prog_a',
  status: 'pending',
  commission: null,
  commission_version: 0,
  payout_hold: false,
  sealed,
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:00.000Z',
  approved_at: null,
  revision: 0,
});
const kept = (folds: FoldCache, stream: StreamName | undefined): number[] =>
  folds.ofStream(stream ?? 'refledger.a').map(({ revision }) => revision);

it('keeps one fold every so many events, in order and without gaps', () => {
  const folds = new FoldCache({ every: 10, maxSize: 800_000 });
  for (const revision of [29, 0, 9, 8, 9, 10, 29, 19, 9, 29]) offer(folds, a, revision);
  expect(kept(folds, a)).toEqual([9, 19, 29]);
  expect(kept(folds, b)).toEqual([]);
  folds.forget('refledger.a');
  expect(kept(folds, a)).toEqual([]);
});

it('makes room by forgetting the least recently used streams', () => {
  const folds = new FoldCache({ every: 10, maxSize: 24_000 });
  for (const stream of [a, b, c]) offer(folds, stream, 9);
  expect(kept(folds, a)).toEqual([9]);
  offer(folds, a, 19);
  expect([kept(folds, a), kept(folds, b), kept(folds, c)]).toEqual([[9, 19], [], [9]]);
  folds.forget('refledger.c');
  offer(folds, a, 29);
  expect(kept(folds, a)).toEqual([9, 19, 29]);
  offer(folds, a, 39);
  expect(kept(folds, a)).toEqual([]);
});

it('keeps fewer folds of large records', () => {
  const folds = new FoldCache({ every: 10, maxSize: 50_000 });
  const large = { ...emptyFolds.affiliate, record: affiliateWith('n'.repeat(30_000)) };
  offer(folds, a, 9);
  offer(folds, b, 9, large);
  expect([kept(folds, a), kept(folds, b)]).toEqual([[9], [9]]);
  offer(folds, b, 19, large);
  expect([kept(folds, a), kept(folds, b)]).toEqual([[], []]);
});
