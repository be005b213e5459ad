import {
  accountOf,
  isEventOf,
  payoutRunList,
  type PayoutRunEvent,
  type PayoutRunRecord,
} from '@refledger/contracts';
import { metaOf, payoutRunAfter, shownTotals, type PayoutCreated } from '@refledger/domain';
import { plus } from './figures.js';
import { indexesOf, projectionOf, type RecordDocument } from './projection.js';

/** The payout runs of every account, as the API lists them, with what they have paid so far. */
export const payoutRunsProjection = projectionOf<'payout_run' | 'payout', PayoutRunDocument>(
  ['payout_run', 'payout'],
  {
    name: 'payout_runs',
    version: 2,
    collections: [{ name: 'payout_runs', indexes: indexesOf(payoutRunList) }],
    keysOf: ({ type, data }) => {
      const run_id =
        type.startsWith('payout_run.') || type === 'payout.created' ? data.run_id : null;
      if (run_id === null) return [];
      return [{ collection: 'payout_runs', id: run_id, begins: type === 'payout_run.started' }];
    },
    evolve: (document, event) => {
      if (!isEventOf('payout_run', event))
        return event.type === 'payout.created' ? document && paid(document, event) : undefined;
      const record = payoutRunAfter(document?.record, event, metaOf(event));
      const totals = document?.totals ?? [];
      return record && { account_id: accountOf(event), record: counted(record, totals), totals };
    },
  },
);

/** A run. Its totals are kept as decimal strings, because they may exceed 2^53. */
export interface PayoutRunDocument extends RecordDocument<PayoutRunRecord> {
  /** The sums of its payouts so far, in the order of the currencies' codes. */
  readonly totals: RunTotals;
}

type RunTotals = Extract<PayoutRunEvent, { type: 'payout_run.finished' }>['data']['totals'];

/** A run that is finished shows what it counted at its end. */
const counted = (record: PayoutRunRecord, totals: RunTotals): PayoutRunRecord => {
  if (record.status === 'finished') return record;
  const created = totals.reduce((sum, { payouts }) => sum + payouts, 0);
  return {
    ...record,
    payouts: { ...record.payouts, created },
    totals: shownTotals(totals),
  };
};

const paid = (document: PayoutRunDocument, { data }: PayoutCreated): PayoutRunDocument => {
  const { currency, amount } = data;
  const before = document.totals.find((total) => total.currency === currency);
  const total = {
    currency,
    payouts: (before?.payouts ?? 0) + 1,
    amount: plus(before?.amount ?? '0', BigInt(amount)),
  };
  const others = document.totals.filter((known) => known !== before);
  const totals = [...others, total].sort((a, b) => (a.currency < b.currency ? -1 : 1));
  return { ...document, record: counted(document.record, totals), totals };
};
