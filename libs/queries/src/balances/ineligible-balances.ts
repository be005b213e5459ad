import type { BalanceRecord, SkipReason } from '@refledger/contracts';
import type { ThrottledReads, Reader } from '@refledger/application';
import type { Query } from '@refledger/read-store';
import { reflectedByAll, type MoneyReads } from '../money-reads.js';
import {
  balanceDocuments,
  requirePosition,
  showBalances,
  type BalanceList,
  type BalancePage,
  type ShownBalances,
} from './shown-balances.js';

export interface IneligibleParts {
  readonly money: MoneyReads;
  readonly throttledReads: Pick<ThrottledReads, 'run' | 'batches'>;
}

/**
 * Finds the balances of a list that a payout run would not pay for a reason. No index can serve
 * that: it depends on the day, the affiliate and the program. So a page goes through a bounded
 * number of balances; the first ones are read at once, and the others take turns with the reads of
 * other accounts.
 */
export class IneligibleBalances {
  private readonly found: BalanceRecord[] = [];
  private readonly batches: Batch[] = [];
  /** The last balance that the page has looked at, and whether others follow it. */
  private last: BalanceRecord | undefined;
  private hasMore = false;
  private readonly size: number;

  constructor(
    private readonly parts: IneligibleParts,
    private readonly caller: Reader,
    private readonly page: BalanceList & { readonly reason: SkipReason },
  ) {
    this.size = page.query.limit - 1;
  }

  /** Reads the page. Call it once. */
  async find(): Promise<BalancePage> {
    const { throttledReads } = this.parts;
    const first = await this.read(this.page.query);
    this.add(first);
    if (this.hasMore && !this.isFull())
      await throttledReads.run(this.caller, async () => {
        for await (const batch of throttledReads.batches(this.batchesAfter(first))) {
          this.add(batch);
          if (this.isFull()) return;
        }
      });
    return {
      records: this.found,
      position: requirePosition(reflectedByAll(this.batches)),
      last: this.hasMore ? this.last : undefined,
    };
  }

  private add(batch: Batch): void {
    this.batches.push(batch);
    this.hasMore = batch.hasMore;
    for (const balance of batch.records) {
      if (this.isFull()) {
        this.hasMore = true;
        return;
      }
      this.last = balance;
      if (balance.not_eligible.includes(this.page.reason)) this.found.push(balance);
    }
  }

  private isFull(): boolean {
    return this.found.length === this.size;
  }

  private async *batchesAfter(first: Batch): AsyncGenerator<Batch> {
    let batch = first;
    for (let count = 1; count < maxBatches && batch.hasMore; count++) {
      const last = batch.records.at(-1);
      if (last === undefined) return;
      batch = await this.read({ ...this.page.query, after: [last.created_at, last.id] });
      yield batch;
    }
  }

  private async read(query: Query): Promise<Batch> {
    const { money } = this.parts;
    const found = await balanceDocuments(money, { ...query, limit: batchSize + 1 });
    const documents = { ...found, value: found.value.slice(0, batchSize) };
    const shown = await showBalances(money, this.caller, documents, this.page.days);
    return { ...shown, hasMore: found.value.length > batchSize };
  }
}

/** Few enough balances that reading them delays other requests by a few milliseconds. */
const batchSize = 100;

/** A page looks at up to 1,000 balances. */
const maxBatches = 10;

interface Batch extends ShownBalances {
  /** Whether other balances follow. */
  readonly hasMore: boolean;
}
