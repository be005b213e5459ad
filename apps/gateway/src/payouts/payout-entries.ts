import { laterOf, streams, type EntryRecord } from '@refledger/contracts';
import type { CommandHandler } from '@refledger/application';
import { payoutDecider, type PayoutCreated, type PayoutState } from '@refledger/domain';
import { entriesProjection } from '@refledger/projections';
import type { Found } from '@refledger/read-store';
import { reflectedByAll, type MoneyReads } from '../balances/money-reads.js';
import {
  entriesIn,
  entriesResponse,
  entryProjections,
  showEntries,
} from '../balances/shown-entries.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { decodeCursor, encodeCursor } from '../lists/cursor.js';
import { recordReader } from '../records.js';
import { rangesOfPage, type Line, type LineRange } from './line-ranges.js';

/** Lists the lines of payouts. */
export class PayoutEntries {
  constructor(
    private readonly money: Pick<MoneyReads, 'settle' | 'find'>,
    private readonly commands: Pick<CommandHandler, 'load'>,
  ) {}

  /**
   * One page of the lines of a payout, by day and number. Throws `ledger_behind` if the read model
   * does not reach the payout in time, so that no line is ever missing.
   */
  async list(call: Call<'listPayoutEntries'>): Promise<ApiResponse> {
    const { caller, id, query, minPosition } = call;
    await this.money.settle([], call);
    const loaded = await this.commands.load(payoutDecider, streams.payout(id));
    const { balance_id, buckets } = created(id, loaded, caller.accountId);
    const scope = ['payout_entries', id];
    const after =
      query.cursor === undefined ? undefined : decodeCursor(query.cursor, scope, isLine);
    const size = query.limit === undefined ? 25 : Number(query.limit);
    await this.money.settle(entryProjections, {
      caller,
      minPosition: laterOf(minPosition, loaded.position),
    });
    const ranges = rangesOfPage(buckets, after, size + 1);
    const { value, position } = await this.linesIn(ranges, balance_id, size + 1);
    const rows = value.slice(0, size);
    const last = rows.at(-1);
    const hasMore = value.length > size && last !== undefined;
    return entriesResponse(
      await showEntries(this.money, { value: rows, position }),
      hasMore ? encodeCursor([last.payable_on, last.number], scope) : null,
    );
  }

  /** The entries of a balance in these ranges, with one query per range. */
  private async linesIn(
    ranges: readonly LineRange[],
    balance_id: string,
    limit: number,
  ): Promise<Found<readonly EntryRecord[]>> {
    const found = await Promise.all(
      ranges.map(({ payable_on, after, before }) =>
        this.money.find(entriesProjection, {
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

const createdOf = (state: PayoutState): PayoutCreated['data'] | undefined =>
  state.kind === 'present' ? state.created : undefined;

const created = recordReader('payout', createdOf);

/** The cursor: the day and the number of the last line of the previous page. */
const isLine = (values: readonly unknown[]): values is Line =>
  values.length === 2 && typeof values[0] === 'string' && Number.isSafeInteger(values[1]);
