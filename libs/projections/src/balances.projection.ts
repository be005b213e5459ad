import {
  accountOf,
  balanceList,
  type AccountId,
  type AffiliateId,
  type BalanceEvent,
  type BalanceId,
  type ProgramId,
  type RecordedEvent,
} from '@refledger/contracts';
import { chainStart, type BalanceFigures } from '@refledger/domain';
import type { Document } from '@refledger/read-store';
import { plus } from './figures.js';
import { hasAny, withAmount, withBuckets, withoutBuckets, type OpenSums } from './open-sums.js';
import {
  countRanges,
  withoutRanges,
  withRange,
  withReturnedRanges,
  type OpenRanges,
} from './open-ranges.js';
import { indexesOf, projectionOf } from './projection.js';

/**
 * The balances of every account. Each balance is one document, so that its figures always reflect
 * one position. Every chapter but the first starts with what the document already says.
 */
export const balancesProjection = projectionOf<'balance', BalanceDocument>(['balance'], {
  name: 'balances',
  version: 2,
  collections: [{ name: 'balances', indexes: indexesOf(balanceList) }],
  keysOf: (event) => [
    { collection: 'balances', id: event.data.balance_id, begins: isFirst(event) },
  ],
  evolve: (document, event) => {
    const { recorded_at } = event.metadata;
    if (document === undefined) return isFirst(event) ? opened(event) : undefined;
    return { ...documentAfter(document, event), updated_at: recorded_at };
  },
});

/** A balance. Sums are decimal strings, because they may exceed 2^53. */
export interface BalanceDocument extends Document {
  readonly account_id: AccountId;
  readonly id: BalanceId;
  readonly affiliate_id: AffiliateId;
  readonly program_id: ProgramId;
  readonly currency: string;
  /** Whether something is held, payable or in a payout. */
  readonly is_open: boolean;
  readonly earned: string;
  readonly adjusted: string;
  readonly in_payout: string;
  readonly paid: string;
  readonly open: OpenSums;
  readonly ranges: OpenRanges;
  readonly open_payouts: number;
  readonly entries: number;
  readonly chain: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Returns the figures that a document holds. */
export const figuresFromDocument = (document: BalanceDocument): BalanceFigures => {
  const { id: balance_id, affiliate_id, program_id, currency, open, entries, chain } = document;
  const days = Object.entries(open).flatMap(([month, sums]) =>
    Object.entries(sums).map(([day, sum]) => [`${month}-${day}`, BigInt(sum)] as const),
  );
  return {
    about: { balance_id, affiliate_id, program_id, currency },
    earned: BigInt(document.earned),
    adjusted: BigInt(document.adjusted),
    inPayout: BigInt(document.in_payout),
    paid: BigInt(document.paid),
    open: days.sort(([a], [b]) => (a < b ? -1 : 1)),
    ranges: countRanges(days, document.ranges),
    openPayouts: document.open_payouts,
    entries,
    chain,
  };
};

type Event = RecordedEvent<BalanceEvent>;
type DataOf<K extends BalanceEvent['type']> = Extract<BalanceEvent, { type: K }>['data'];

const isFirst = (event: Event): boolean =>
  event.type === 'balance.opened' && event.data.chapter === 0;

const opened = (event: Event): BalanceDocument => {
  const { balance_id, affiliate_id, program_id, currency } = event.data;
  const { recorded_at } = event.metadata;
  return {
    account_id: accountOf(event),
    id: balance_id,
    affiliate_id,
    program_id,
    currency,
    is_open: false,
    earned: '0',
    adjusted: '0',
    in_payout: '0',
    paid: '0',
    open: {},
    ranges: {},
    open_payouts: 0,
    entries: 0,
    chain: chainStart(balance_id),
    created_at: recorded_at,
    updated_at: recorded_at,
  };
};

const documentAfter = (document: BalanceDocument, event: BalanceEvent): BalanceDocument => {
  switch (event.type) {
    case 'balance.posted':
      return withEntry(document, event.data);
    case 'balance.reserved':
      return reserved(document, event.data);
    case 'balance.settled':
      return settled(document, event.data);
    case 'balance.released':
      return released(document, event.data);
    case 'balance.opened':
    case 'balance.carried':
    case 'balance.closed':
      return document;
  }
};

const withEntry = (
  document: BalanceDocument,
  { number, kind, amount, payable_on, chain }: DataOf<'balance.posted'>,
): BalanceDocument => {
  const sum = kind === 'adjustment' || kind === 'adjustment_void' ? 'adjusted' : 'earned';
  const open = withAmount(document.open, payable_on, amount);
  return {
    ...document,
    [sum]: plus(document[sum], amount),
    is_open: isOpen(open, document.in_payout),
    open,
    ranges: withRange(openIn(document), payable_on, amount),
    entries: number,
    chain,
  };
};

const reserved = (
  document: BalanceDocument,
  { buckets, amount, chain }: DataOf<'balance.reserved'>,
): BalanceDocument => {
  const open = withoutBuckets(document.open, buckets);
  const in_payout = plus(document.in_payout, BigInt(amount));
  return {
    ...document,
    is_open: isOpen(open, in_payout),
    in_payout,
    open,
    ranges: withoutRanges(openIn(document), buckets),
    open_payouts: document.open_payouts + 1,
    chain,
  };
};

const settled = (
  document: BalanceDocument,
  { amount, chain }: DataOf<'balance.settled'>,
): BalanceDocument => {
  const in_payout = plus(document.in_payout, -BigInt(amount));
  return {
    ...document,
    is_open: isOpen(document.open, in_payout),
    in_payout,
    paid: plus(document.paid, BigInt(amount)),
    open_payouts: document.open_payouts - 1,
    chain,
  };
};

const released = (
  document: BalanceDocument,
  { buckets, amount, was, chain }: DataOf<'balance.released'>,
): BalanceDocument => {
  const from = was === 'open' ? 'in_payout' : 'paid';
  const open = withBuckets(document.open, buckets);
  const after = {
    ...document,
    [from]: plus(document[from], -BigInt(amount)),
    open,
    ranges: withReturnedRanges(openIn(document), buckets),
    open_payouts: document.open_payouts - (was === 'open' ? 1 : 0),
    chain,
  };
  return { ...after, is_open: isOpen(open, after.in_payout) };
};

const openIn = ({ open, ranges }: BalanceDocument) => ({ sums: open, ranges });

const isOpen = (open: OpenSums, inPayout: string): boolean => inPayout !== '0' || hasAny(open);
