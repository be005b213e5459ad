import { balanceList, dayOf, laterOf, type BalanceId } from '@refledger/contracts';
import type { BalanceReader, LoadedBalance } from '@refledger/balances';
import type { CommandHandler, PacedReads } from '@refledger/application';
import { balanceRecord, figuresOf } from '@refledger/domain';
import {
  affiliatesProjection,
  balancesProjection,
  figuresFromDocument,
  type BalanceDocument,
} from '@refledger/projections';
import type { Found } from '@refledger/read-store';
import {
  equals,
  notFound,
  SummaryTotals,
  type MoneyReads,
  payeeProjections,
  payeesOf,
  viewDays,
  type ViewDays,
} from '@refledger/queries';
import type { ApiResponse, Call } from '../http/request/call.js';
import type { Caller } from '../http/request/caller.js';
import { filtersOf, listQuery } from '../lists/list-query.js';
import { positionHeader } from '../records.js';
import { IneligibleBalances } from './ineligible-balances.js';
import {
  affiliateResponse,
  balanceDocuments,
  balancesOfAffiliate,
  pageResponse,
  requirePosition,
  showBalances,
} from './shown-balances.js';

export interface CurrentBalancesParts {
  readonly money: MoneyReads;
  readonly reader: Pick<BalanceReader, 'load' | 'createdAt'>;
  readonly commands: Pick<CommandHandler, 'instant'>;
  readonly pacedReads: PacedReads;
}

/** Reads balances as they are now. */
export class CurrentBalances {
  constructor(private readonly parts: CurrentBalancesParts) {}

  async list(call: Call<'listBalances'>): Promise<ApiResponse> {
    const { caller, query } = call;
    const days = this.days(query.on);
    const { not_eligible: reason } = query;
    const { name } = balancesProjection;
    const list = listQuery(query, {
      name: reason === undefined ? name : `${name} not_eligible=${reason}`,
      filters: filtersOf(balanceList, caller.accountId, query),
    });
    const { money, pacedReads } = this.parts;
    await money.settle(shownFrom, call);
    if (reason !== undefined) {
      const parts = { money, pacedReads };
      const found = await new IneligibleBalances(parts, caller, { list, reason, days }).find();
      return pageResponse(found, found.nextCursor);
    }
    const { value, position } = await balanceDocuments(money, list.query);
    const { rows, nextCursor } = list.cut(value);
    return pageResponse(
      await showBalances(money, caller, { value: rows, position }, days),
      nextCursor,
    );
  }

  async get(call: Call<'getBalance'>): Promise<ApiResponse> {
    const { caller, id, query } = call;
    const { money, reader } = this.parts;
    const days = this.days(query.on);
    const settled = await money.settle(payeeProjections, call);
    const [loaded, createdAt] = await Promise.all([this.own(id, caller), reader.createdAt(id)]);
    const figures = figuresOf(loaded.state);
    if (figures === undefined || createdAt === undefined) throw notFound('balance', id);
    const payees = await payeesOf(money, caller.accountId, [figures.about]);
    const position = laterOf(loaded.position, settled) ?? loaded.position;
    const view = { ...days, position, createdAt, updatedAt: loaded.recordedAt };
    const body = balanceRecord(figures, { ...view, payee: payees.of(figures.about) });
    return { status: 200, body, headers: positionHeader(position) };
  }

  async ofAffiliate(call: Call<'getAffiliateBalances'>): Promise<ApiResponse> {
    const { caller, id, query } = call;
    const days = this.days(query.on);
    const { money } = this.parts;
    await money.settle(shownFrom, call);
    const { value: affiliate } = await money.get(affiliatesProjection, id);
    if (affiliate?.['account_id'] !== caller.accountId) throw notFound('affiliate', id);
    const found = await balanceDocuments(money, balancesOfAffiliate(caller.accountId, id));
    const { records, position } = await showBalances(money, caller, found, days);
    return affiliateResponse(records, positionHeader(position));
  }

  /**
   * Adds up the open balances. The first page is read at once; the others take turns with the reads
   * of other accounts, so that any number of balances delays other requests by no more than the
   * read of a page.
   */
  async summary(call: Call<'getBalanceSummary'>): Promise<ApiResponse> {
    const { caller, query } = call;
    const { on } = this.days(query.on);
    const { money, pacedReads } = this.parts;
    await money.settle([balancesProjection], call);
    const totals = new SummaryTotals(on);
    const add = ({ value }: Found<readonly BalanceDocument[]>): void =>
      value.forEach((document) => totals.add(figuresFromDocument(document)));
    const first = await this.openBalances(call, undefined);
    add(first);
    if (first.value.length === pageSize)
      await pacedReads.run(caller, async () => {
        const rest = this.openBalancesAfter(call, first.value.at(-1));
        for await (const page of pacedReads.batches(rest)) add(page);
      });
    const position = requirePosition(first.position);
    return { status: 200, body: totals.summary(position), headers: positionHeader(position) };
  }

  /** The balance. Throws `not_found` if the caller's account has no such balance. */
  async own(id: BalanceId, { accountId }: Caller): Promise<LoadedBalance> {
    const loaded = await this.parts.reader.load(id);
    if (loaded?.accountId !== accountId) throw notFound('balance', id);
    return loaded;
  }

  private days(on: string | undefined): ViewDays {
    return viewDays(on, dayOf(this.parts.commands.instant()));
  }

  private async *openBalancesAfter(
    call: Call<'getBalanceSummary'>,
    last: BalanceDocument | undefined,
  ): AsyncGenerator<Found<readonly BalanceDocument[]>> {
    for (let after = last; after !== undefined;) {
      const page = await this.openBalances(call, after);
      yield page;
      after = page.value.length === pageSize ? page.value.at(-1) : undefined;
    }
  }

  private openBalances(
    { caller, query }: Call<'getBalanceSummary'>,
    after: BalanceDocument | undefined,
  ): Promise<Found<readonly BalanceDocument[]>> {
    const { program_id } = query;
    return balanceDocuments(this.parts.money, {
      where: equals({ account_id: caller.accountId, program_id, is_open: true }),
      order: { fields: ['created_at', 'id'], descending: false },
      ...(after !== undefined && { after: [after.created_at, after.id] }),
      limit: pageSize,
    });
  }
}

/** The read models from which a list of balances is shown. */
const shownFrom = [balancesProjection, ...payeeProjections];

/** Few enough balances that reading them delays other requests by a few milliseconds. */
const pageSize = 100;
