import type { PayoutEntries } from '@refledger/queries';
import type { Exports } from '../exports/exports.js';
import { requireNoPage } from '../exports/without-page.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { listResponse, positionHeader } from '../http/responses.js';
import { entriesCsv } from './entries-csv.js';
import { cursorAfter, linesRequest } from './line-cursor.js';

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
    const page = await this.entries.page(payout, linesRequest(query, id));
    return listResponse(page.records, cursorAfter(page.last, id), page.position);
  }

  /** All lines of a payout as CSV, with a bounded amount of memory. */
  async csv(call: Call<'listPayoutEntries'>): Promise<ApiResponse> {
    const { caller, id, query } = call;
    requireNoPage(query);
    const payout = await this.entries.payout(call, id);
    return {
      status: 200,
      csv: this.exports.send(caller, entriesCsv(this.entries.all(payout))),
      headers: {
        ...positionHeader(payout.position),
        'content-disposition': `attachment; filename="entries-${id}.csv"`,
      },
    };
  }
}
