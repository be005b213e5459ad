import { laterOf, streams, type EntryRecord, type Position } from '@refledger/contracts';
import type { CommandHandler, PacedReads } from '@refledger/application';
import { payoutDecider, type PayoutCreated, type PayoutState } from '@refledger/domain';
import { entriesProjection } from '@refledger/projections';
import type { Found } from '@refledger/read-store';
import {
  reflectedByAll,
  type MoneyReads,
  rangesOfPage,
  type Line,
  type LineRange,
  entriesIn,
  entryProjections,
  showEntries,
  recordReader,
} from '@refledger/queries';
import type { Exports } from '../exports/exports.js';
import { requireNoPage } from '../exports/without-page.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { decodeCursor, encodeCursor } from '../lists/cursor.js';
import { listResponse } from '../lists/list-response.js';
import { positionHeader } from '../records.js';
import { entriesCsv } from './entries-csv.js';

export interface PayoutEntriesParts {
  readonly money: Pick<MoneyReads, 'settle' | 'find'>;
  readonly commands: Pick<CommandHandler, 'load'>;
  readonly pacedReads: Pick<PacedReads, 'batches'>;
  readonly exports: Pick<Exports, 'send'>;
}

/** Reads the lines of payouts. */
export class PayoutEntries {
  constructor(private readonly parts: PayoutEntriesParts) {}

  /**
   * One page of the lines of a payout, by day and number. Throws `ledger_behind` if the read model
   * does not reach the payout in time, so that no line is ever missing.
   */
  async list(call: Call<'listPayoutEntries'>): Promise<ApiResponse> {
    const { id, query } = call;
    const { payout } = await this.settled(call);
    const scope = ['payout_entries', id];
    const after =
      query.cursor === undefined ? undefined : decodeCursor(query.cursor, scope, isLine);
    const size = query.limit === undefined ? 25 : Number(query.limit);
    const { value, position } = await this.linesAfter(payout, after, size + 1);
    const rows = value.slice(0, size);
    const last = rows.at(-1);
    const hasMore = value.length > size && last !== undefined;
    const shown = await showEntries(this.parts.money, { value: rows, position });
    return listResponse(
      shown.records,
      hasMore ? encodeCursor([last.payable_on, last.number], scope) : null,
      shown.position,
    );
  }

  /** All lines of a payout as CSV, with a bounded amount of memory. Throws like `list`. */
  async csv(call: Call<'listPayoutEntries'>): Promise<ApiResponse> {
    const { caller, id, query } = call;
    const { pacedReads, exports } = this.parts;
    requireNoPage(query);
    const { payout, position } = await this.settled(call);
    return {
      status: 200,
      csv: exports.send(caller, entriesCsv(pacedReads.batches(this.batches(payout)))),
      headers: {
        ...positionHeader(position),
        'content-disposition': `attachment; filename="entries-${id}.csv"`,
      },
    };
  }

  /** Waits until the read models show the payout, and returns its lines' ranges. */
  private async settled(call: Call<'listPayoutEntries'>): Promise<SettledPayout> {
    const { caller, id, minPosition } = call;
    const { money, commands } = this.parts;
    await money.settle([], call);
    const loaded = await commands.load(payoutDecider, streams.payout(id));
    const payout = created(id, loaded, caller.accountId);
    const position = laterOf(minPosition, loaded.position);
    await money.settle(entryProjections, { caller, minPosition: position });
    return { payout, position };
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
  ): Promise<Found<readonly EntryRecord[]>> {
    const found = await this.linesIn(rangesOfPage(buckets, after, limit), balance_id, limit);
    return { ...found, value: found.value.slice(0, limit) };
  }

  /** The entries of a balance in these ranges, with one query per range. */
  private async linesIn(
    ranges: readonly LineRange[],
    balance_id: string,
    limit: number,
  ): Promise<Found<readonly EntryRecord[]>> {
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

/** How many lines of an export are in memory at a time. */
const batchSize = 100;

/** The fields that say which entries are the lines of a payout. */
type Ranges = Pick<PayoutCreated['data'], 'buckets' | 'balance_id'>;

interface SettledPayout {
  readonly payout: Ranges;
  /** What the read models reflect. */
  readonly position: Position | undefined;
}

const createdOf = (state: PayoutState): PayoutCreated['data'] | undefined =>
  state.kind === 'present' ? state.created : undefined;

const created = recordReader('payout', createdOf);

/** The cursor: the day and the number of the last line of the previous page. */
const isLine = (values: readonly unknown[]): values is Line =>
  values.length === 2 && typeof values[0] === 'string' && Number.isSafeInteger(values[1]);
