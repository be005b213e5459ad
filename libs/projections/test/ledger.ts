import {
  streams,
  type BalanceEvent,
  type CarriedState,
  type EntryKind,
} from '@refledger/contracts';
import { firstOpening, type BalanceKey } from '@refledger/domain';
import type { HistoryEvent } from './history.js';

/** A balance of `acct_1`. */
export const balanceAbout = (n: number, currency = 'USD'): BalanceKey => ({
  balance_id: `bal_${String(n).padStart(26, '0')}`,
  affiliate_id: `aff_${n}`,
  program_id: 'prog_spring',
  currency,
});

const source = {
  log_id: 'log',
  position: '7',
  event_id: '00000000-0000-4000-8000-000000000001',
  stream: 'refledger.conversion-conv_1',
  revision: 1,
};
const payable_on = '2026-11-22';

/** Writes the stream of a balance, event by event. Each event has a `chain` of its own. */
export class LedgerWriter {
  readonly happened: HistoryEvent[] = [];
  private chapter = 0;
  private number = 0;
  private written = 0;

  constructor(readonly about: BalanceKey) {
    this.write(firstOpening(about));
  }

  entry(posted_at: string, kind: EntryKind, amount: number): this {
    const isAdjustment = kind === 'adjustment' || kind === 'adjustment_void';
    return this.write({
      type: 'balance.posted',
      data: {
        ...this.about,
        number: ++this.number,
        kind,
        amount,
        payable_on,
        conversion_id: isAdjustment ? null : 'conv_1',
        adjustment_id: isAdjustment ? 'adj_1' : null,
        description: isAdjustment ? 'Bonus' : null,
        source,
        posted_at,
        chain: this.chain(),
      },
    });
  }

  reserved(amount: string): this {
    const buckets = this.buckets(amount);
    return this.write({
      type: 'balance.reserved',
      data: {
        ...this.about,
        payout_id: 'pay_1',
        payout_number: 1,
        until: payable_on,
        buckets,
        amount,
        entry_count: 1,
        append: { stream: 'refledger.payout-pay_1', expected_revision: null, events: [] },
        chain: this.chain(),
      },
    });
  }

  settled(posted_at: string, amount: string): this {
    const ended = { payout_id: 'pay_1', amount, source, posted_at, chain: this.chain() } as const;
    return this.write({ type: 'balance.settled', data: { ...this.about, ...ended } });
  }

  released(posted_at: string, amount: string, was: 'open' | 'paid'): this {
    const buckets = this.buckets(amount);
    const ended = { payout_id: 'pay_1', amount, source, posted_at, chain: this.chain() } as const;
    return this.write({
      type: 'balance.released',
      data: { ...this.about, ...ended, buckets, was },
    });
  }

  nextChapter(): this {
    const state: CarriedState = {
      number: this.number,
      payouts: 0,
      through: source,
      posted_at: null,
      chain: '',
      in_flight: {},
      earned: '0',
      adjusted: '0',
      paid: '0',
    };
    this.write({ type: 'balance.closed', data: { ...this.about, state } });
    const chapter = ++this.chapter;
    return this.write({
      type: 'balance.opened',
      data: { ...this.about, chapter, state, carried: 0 },
    });
  }

  private chain(): string {
    return `chain ${this.written} of ${this.about.balance_id}`;
  }

  private buckets(amount: string) {
    return [{ payable_on, ranges: [{ from: 1, to: 1, amount, count: 1 }] }];
  }

  private write(event: BalanceEvent): this {
    const stream = streams.balance(this.about.balance_id, String(this.chapter));
    this.happened.push({ stream, event });
    this.written++;
    return this;
  }
}
