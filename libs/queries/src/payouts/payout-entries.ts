import {
  laterOf,
  streams,
  type EntryRecord,
  type PayoutId,
  type Position,
} from '@refledger/contracts';
import type { CommandHandler, ThrottledReads } from '@refledger/application';
import { payoutDecider, type PayoutCreated, type PayoutState } from '@refledger/domain';
import { entriesProjection } from '@refledger/projections';
import type { ReadResult } from '@refledger/read-store';
import { reflectedByAll, type MoneyReads } from '../money-reads.js';
import { rangesOfPage, type Line, type LineRange } from './line-ranges.js';
import { entriesIn, entryProjections, showEntries } from '../balances/shown-entries.js';
import { recordReader } from '../own-record.js';
import type { EntryPage } from '../balances/entries.js';
import type { ReadContext } from '../read-models.js';

export interface PayoutEntriesParts {
  readonly money: Pick<MoneyReads, 'settle' | 'find'>;
  readonly commands: Pick<CommandHandler, 'load'>;
  readonly throttledReads: Pick<ThrottledReads, 'batches'>;
}

/** Reads the lines of payouts. */
export class PayoutEntries {
  constructor(private readonly parts: PayoutEntriesParts) {}

  /**
   * Waits until the read models show the payout, and returns its lines' ranges. Throws
   * `ledger_behind` if they do not in time, so that no line is ever missing.
   */
  async payout(read: ReadContext, id: PayoutId): Promise<SettledPayout> {
    const { caller, minPosition } = read;
    const { money, commands } = this.parts;
    await money.settle([], read);
    const loaded = await commands.load(payoutDecider, streams.payout(id));
    const ranges = created(id, loaded, caller.accountId);
    const position = laterOf(minPosition, loaded.position);
    await money.settle(entryProjections, { caller, minPosition: position });
    return { ranges, position };
  }

  /** One page of the lines of a payout, by day and number. */
  async page(
    { ranges }: SettledPayout,
    { after, size }: { readonly after: Line | undefined; readonly size: number },
  ): Promise<EntryPage> {
    const { value, position } = await this.linesAfter(ranges, after, size + 1);
    const rows = value.slice(0, size);
    const shown = await showEntries(this.parts.money, { value: rows, position });
    return { ...shown, last: value.length > size ? rows.at(-1) : undefined };
  }

  /** All lines of a payout, with a bounded number of them in memory. */
  all({ ranges }: SettledPayout): AsyncIterable<readonly EntryRecord[]> {
    return this.parts.throttledReads.batches(this.batches(ranges));
  }

  private async *batches(payout: Ranges): AsyncGenerator<readonly EntryRecord[]> {
    let after: Line | undefined;
    do {
      const found = await this.linesAfter(payout, after, batchSize);
      const { records } = await showEntries(this.parts.money, found);
      if (records.length > 0) yield records;
      const last = records.length < batchSize ? undefined : records.at(-1);
      after = last && [last.payable_on, last.number];
    } while (after !== undefined);
  }

  private async linesAfter(
    { buckets, balance_id }: Ranges,
    after: Line | undefined,
    limit: number,
  ): Promise<ReadResult<readonly EntryRecord[]>> {
    const found = await this.linesIn(rangesOfPage(buckets, after, limit), balance_id, limit);
    return { ...found, value: found.value.slice(0, limit) };
  }

  /** The entries of a balance in these ranges, with one query per range. */
  private async linesIn(
    ranges: readonly LineRange[],
    balance_id: string,
    limit: number,
  ): Promise<ReadResult<readonly EntryRecord[]>> {
    const found = await Promise.all(
      ranges.map(({ payable_on, after, before }) =>
        this.parts.money.find(entriesProjection, {
          where: [
            { field: 'balance_id', equals: balance_id },
            { field: 'payable_on', equals: payable_on },
            { field: 'number', after, before },
          ],
          order: { fields: ['number'], descending: false },
          limit,
        }),
      ),
    );
    return {
      value: found.flatMap(({ value }) => entriesIn(value)),
      position: reflectedByAll(found),
    };
  }
}

/** How many lines are in memory at a time. */
const batchSize = 100;

/** The fields that say which entries are the lines of a payout. */
type Ranges = Pick<PayoutCreated['data'], 'buckets' | 'balance_id'>;

/** A payout whose lines the read models show. */
export interface SettledPayout {
  /** Where its lines are. */
  readonly ranges: Ranges;
  /** What the read models reflect. */
  readonly position: Position | undefined;
}

const createdOf = (state: PayoutState): PayoutCreated['data'] | undefined =>
  state.kind === 'present' ? state.created : undefined;

const created = recordReader('payout', createdOf);
