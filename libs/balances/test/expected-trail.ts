import { completeData, type StoredBucket } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { allOf } from './embedded.js';

/** What follows payouts, as `paid pay_… 990` or `unpaid pay_…`, by conversion. */
export type Trail = Readonly<Record<string, readonly string[]>>;

/** What was written to conversions. */
export const writtenTrail = async (log: EventLog): Promise<Trail> => {
  const trail: Record<string, string[]> = {};
  for (const event of await allOf(log)) {
    const { type } = event;
    const { conversion_id, payout_id, amount } = dataOf(completeData(event));
    if (type === 'conversion.paid')
      (trail[conversion_id] ??= []).push(`paid ${payout_id} ${amount}`);
    if (type === 'conversion.unpaid') (trail[conversion_id] ??= []).push(`unpaid ${payout_id}`);
  }
  return trail;
};

/**
 * What must be written to conversions, worked out again from the entries and payouts in the log.
 * Each balance must have only one payer.
 */
export const expectedTrail = async (log: EventLog): Promise<Trail> => {
  const trail: Record<string, string[]> = {};
  const last = new Map<string, Data>();
  const events = await allOf(log);
  const ends = events.filter(
    ({ type, data }) =>
      type === 'payout.completed' ||
      (type === 'payout.failed' && dataOf(data).before?.status === 'completed'),
  );
  for (const { type, data } of ends)
    for (const [id, amount] of paidBy(dataOf(data).payout_id, events)) {
      const step = stepOf(type, dataOf(data), last.get(id));
      if (step === 'paid') last.set(id, dataOf(data));
      if (step !== undefined)
        (trail[id] ??= []).push(
          [step, dataOf(data).payout_id, ...(step === 'paid' ? [amount] : [])].join(' '),
        );
    }
  return trail;
};

/** What the end of a payout means for a conversion that showed another one last, or none. */
const stepOf = (type: string, payout: Data, last: Data | undefined) => {
  if (type === 'payout.failed') return last?.payout_id === payout.payout_id ? 'unpaid' : undefined;
  return payout.payout_number > (last?.payout_number ?? 0) ? 'paid' : undefined;
};

/** The conversions with a commission in a payout, and what their lines add up to if above 0. */
const paidBy = (id: string, events: readonly LoggedEvent[]): readonly [string, number][] => {
  const payout = events
    .filter(({ type }) => type === 'payout.created')
    .map(({ data }) => dataOf(data))
    .find(({ payout_id }) => payout_id === id);
  if (payout === undefined) throw new Error(`payout ${id} was not created`);
  const lines = events
    .filter(({ type }) => type === 'balance.posted')
    .map(({ data }) => dataOf(data))
    .filter((entry) => entry.balance_id === payout.balance_id && isLine(entry, payout));
  const ids = new Set(
    lines.filter(({ kind }) => kind === 'commission').map((line) => line.conversion_id),
  );
  return [...ids]
    .map((conversion): [string, number] => {
      const own = lines.filter(({ conversion_id }) => conversion_id === conversion);
      return [conversion, own.reduce((sum, { amount }) => sum + amount, 0)];
    })
    .filter(([, sum]) => sum > 0);
};

const isLine = ({ payable_on, number }: Data, { buckets }: Data): boolean =>
  buckets.some(
    (bucket) =>
      bucket.payable_on === payable_on &&
      bucket.ranges.some(({ from, to }) => from <= number && number <= to),
  );

/** The events of conversions, balances and payouts, read without Refledger's code for them. */
interface Data {
  readonly conversion_id: string;
  readonly balance_id: string;
  readonly payout_id: string;
  readonly payout_number: number;
  readonly payable_on: string;
  readonly kind: string;
  readonly number: number;
  readonly amount: number;
  readonly buckets: readonly StoredBucket[];
  readonly before?: { readonly status: string };
}

const dataOf = (data: unknown): Data => data as Data;
