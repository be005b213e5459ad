import {
  accountOf,
  balanceList,
  type AccountId,
  type AffiliateId,
  type BalanceEvent,
  type BalanceId,
  type ProgramId,
  type Recorded,
} from '@refledger/contracts';
import { chainStart, type BalanceFigures } from '@refledger/domain';
import type { Document } from '@refledger/read-store';
import { plus } from './figures.js';
import { indexesOf, projectionOf } from './projection.js';

/**
 * The balances of every account, one document each, so that its figures always reflect one
 * position. Every chapter but the first begins with what the document already says.
 */
export const balancesProjection = projectionOf<'balance', BalanceDocument>(['balance'], {
  name: 'balances',
  version: 1,
  collections: [{ name: 'balances', indexes: indexesOf(balanceList) }],
  keysOf: (event) => [
    { collection: 'balances', id: event.data.balance_id, begins: isFirst(event) },
  ],
  evolve: (document, event) => {
    const { recorded_at } = event.metadata;
    if (document === undefined) return isFirst(event) ? opened(event) : undefined;
    return event.type === 'balance.posted'
      ? { ...withEntry(document, event.data), updated_at: recorded_at }
      : { ...document, updated_at: recorded_at };
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
  readonly entries: number;
  readonly chain: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * The sums of the open entries by month (`2026-11`) and day (`22`), without those that are 0. With
 * two levels, an entry copies no more than the months and the days of one month.
 */
type OpenSums = Readonly<Record<string, Readonly<Record<string, string>>>>;

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
    entries,
    chain,
  };
};

type Event = Recorded<BalanceEvent>;
type Posted = Extract<BalanceEvent, { type: 'balance.posted' }>['data'];

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
    entries: 0,
    chain: chainStart(balance_id),
    created_at: recorded_at,
    updated_at: recorded_at,
  };
};

const withEntry = (
  document: BalanceDocument,
  { number, kind, amount, payable_on, chain }: Posted,
): BalanceDocument => {
  const sum = kind === 'adjustment' || kind === 'adjustment_void' ? 'adjusted' : 'earned';
  const open = withAmount(document.open, payable_on, amount);
  return {
    ...document,
    [sum]: plus(document[sum], amount),
    is_open: hasAny(open),
    open,
    entries: number,
    chain,
  };
};

const withAmount = (open: OpenSums, date: string, amount: number): OpenSums => {
  const [month, day] = [date.slice(0, '2026-11'.length), date.slice('2026-11-'.length)];
  const { [day]: before = '0', ...others } = open[month] ?? {};
  const sum = plus(before, amount);
  const sums = sum === '0' ? others : { ...others, [day]: sum };
  if (hasAny(sums)) return { ...open, [month]: sums };
  const { [month]: _, ...otherMonths } = open;
  return otherMonths;
};

const hasAny = (record: object): boolean => {
  for (const _ in record) return true;
  return false;
};
