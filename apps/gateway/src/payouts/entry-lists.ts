import type { Line, PayoutEntries } from '@refledger/queries';
import type { Exports } from '../exports/exports.js';
import { requireNoPage } from '../exports/without-page.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { csvResponse, listResponse } from '../http/responses.js';
import { cursorAfter, pageRequest } from '../lists/cursor.js';
import { entriesCsv } from './entries-csv.js';

/** Sends the lines of payouts. */
export class EntryLists {
  constructor(
    private readonly entries: Pick<PayoutEntries, 'payout' | 'page' | 'all'>,
    private readonly exports: Pick<Exports, 'send'>,
  ) {}

  /** One page of the lines of a payout. */
  async list(call: Call<'listPayoutEntries'>): Promise<ApiResponse> {
    const { id, query } = call;
    const payout = await this.entries.payout(call, id);
    const scope = ['payout_entries', id];
    const page = await this.entries.page(payout, pageRequest(query, scope, isLine));
    const last: Line | undefined = page.last && [page.last.payable_on, page.last.number];
    return listResponse(page.records, cursorAfter(last, scope), page.position);
  }

  /** All lines of a payout as CSV, with a bounded amount of memory. */
  async csv(call: Call<'listPayoutEntries'>): Promise<ApiResponse> {
    const { caller, id, query } = call;
    requireNoPage(query);
    const payout = await this.entries.payout(call, id);
    const csv = this.exports.send(caller, entriesCsv(this.entries.all(payout)));
    return csvResponse(csv, `entries-${id}`, payout.position);
  }
}

/** The cursor: the day and the number of the last line of the previous page. */
const isLine = (values: readonly unknown[]): values is Line =>
  values.length === 2 && typeof values[0] === 'string' && Number.isSafeInteger(values[1]);
