import type { PayoutRunRecord } from '@refledger/contracts';
import {
  openBalances,
  previewPayout,
  type BalanceCursor,
  type BalanceReader,
  type PreviewedPayout,
} from '@refledger/balances';
import type { CommandHandler, Reader } from '@refledger/application';
import type { BalanceDocument } from '@refledger/projections';
import type { MoneyReads } from '../../money-reads.js';
import { lastPaidRevision } from '../last-paid-revision.js';

export interface PreviewWalkParts {
  readonly money: Pick<MoneyReads, 'find'>;
  readonly reader: Pick<BalanceReader, 'load'>;
  readonly commands: CommandHandler;
}

/** Which balances a preview goes through, and what a run would take from them. */
export type PreviewTerms = Pick<
  PayoutRunRecord,
  'program_id' | 'currency' | 'affiliate_ids' | 'ignore_minimum' | 'until'
>;

/** What a run would do with a balance. */
export interface PreviewRow {
  readonly currency: string;
  readonly payout: PreviewedPayout;
  /** A provider's file would be refused because of this payout. */
  readonly isPayeeChanged: boolean;
}

/** Goes through the balances as a run does, up to a maximum. */
export class PreviewWalk {
  /** The balance after which the next preview continues, once all rows are read. */
  next: BalanceCursor | undefined;

  constructor(
    private readonly parts: PreviewWalkParts,
    private readonly of: {
      readonly caller: Reader;
      readonly terms: PreviewTerms;
      readonly maxBalances: number;
    },
  ) {}

  /** Yields a row per balance, in batches. */
  async *rows(begin: BalanceCursor | undefined): AsyncGenerator<readonly PreviewRow[]> {
    const { money } = this.parts;
    const { caller, terms, maxBalances } = this.of;
    const find: MoneyReads['find'] = (projection, query) => money.find(projection, query);
    let count = 0;
    let last = begin;
    for await (const page of openBalances({ find, ...caller }, terms, begin)) {
      // named affiliates bound the walk by themselves
      if (count >= maxBalances && terms.affiliate_ids === null) {
        this.next = last;
        return;
      }
      for (let from = 0; from < page.length; from += batchSize)
        yield await Promise.all(
          page.slice(from, from + batchSize).map((balance) => this.row(balance)),
        );
      count += page.length;
      last = page.at(-1);
    }
  }

  private async row(balance: BalanceDocument): Promise<PreviewRow> {
    const { affiliate_id, currency } = balance;
    const payout = await previewPayout(this.parts, this.of.terms, balance);
    if (payout.skipped !== undefined) return { currency, payout, isPayeeChanged: false };
    const { accountId } = this.of.caller;
    const paid = await lastPaidRevision(this.parts.money, accountId, affiliate_id);
    const isPayeeChanged = paid !== undefined && payout.payeeRevision > paid;
    return { currency, payout, isPayeeChanged };
  }
}

/** Few enough balances that reading a chapter of each delays other requests by milliseconds. */
const batchSize = 20;
