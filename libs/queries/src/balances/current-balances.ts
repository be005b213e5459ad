import { dayOf, laterOf, type AffiliateId, type BalanceId } from '@refledger/contracts';
import type { BalanceReader, LoadedBalance } from '@refledger/balances';
import type { CommandHandler, ThrottledReads, Reader } from '@refledger/application';
import { balanceRecord, figuresOf } from '@refledger/domain';
import {
  affiliatesProjection,
  balancesProjection,
  figuresFromDocument,
  type BalanceDocument,
} from '@refledger/projections';
import type { ReadResult } from '@refledger/read-store';
import { equals } from '../equals.js';
import { notFound } from '../own-record.js';
import { SummaryTotals, type SummaryAt } from './balance-summary.js';
import type { MoneyReads } from '../money-reads.js';
import { payeeProjections, payeesOf } from './payees.js';
import type { ReadContext } from '../read-models.js';
import { IneligibleBalances } from './ineligible-balances.js';
import {
  balanceDocuments,
  balancesOfAffiliate,
  byCurrency,
  requirePosition,
  showBalances,
  type BalanceList,
  type BalancePage,
  type ShownBalance,
  type ShownBalances,
  viewDays,
  type ViewDays,
} from './shown-balances.js';

export interface CurrentBalancesParts {
  readonly money: MoneyReads;
  readonly reader: Pick<BalanceReader, 'load' | 'createdAt'>;
  readonly commands: Pick<CommandHandler, 'instant'>;
  readonly throttledReads: ThrottledReads;
}

/** Reads balances as they are now. */
export class CurrentBalances {
  constructor(private readonly parts: CurrentBalancesParts) {}

  /** The days of a read. Throws `validation_failed` for `on` before today. */
  days(on: string | undefined): ViewDays {
    return viewDays(on, dayOf(this.parts.commands.instant()));
  }

  /** One page of balances. */
  async list(read: ReadContext, { query, days, reason }: BalanceList): Promise<BalancePage> {
    const { caller } = read;
    const { money, throttledReads } = this.parts;
    await money.settle(shownFrom, read);
    if (reason !== undefined)
      return new IneligibleBalances({ money, throttledReads }, caller, {
        query,
        reason,
        days,
      }).find();
    const { value, position } = await balanceDocuments(money, query);
    const rows = value.slice(0, query.limit - 1);
    const shown = await showBalances(money, caller, { value: rows, position }, days);
    return { ...shown, last: value.length > rows.length ? shown.records.at(-1) : undefined };
  }

  /** Throws `not_found` if the caller's account has no such balance, as all of these reads do. */
  async get(read: ReadContext, id: BalanceId, on: string | undefined): Promise<ShownBalance> {
    const { caller } = read;
    const { money, reader } = this.parts;
    const days = this.days(on);
    const settled = await money.settle(payeeProjections, read);
    const [loaded, createdAt] = await Promise.all([this.own(id, caller), reader.createdAt(id)]);
    const figures = figuresOf(loaded.state);
    if (figures === undefined || createdAt === undefined) throw notFound('balance', id);
    const payees = await payeesOf(money, caller.accountId, [figures.about]);
    const position = laterOf(loaded.position, settled) ?? loaded.position;
    const view = { ...days, position, createdAt, updatedAt: loaded.recordedAt };
    const record = balanceRecord(figures, { ...view, payee: payees.getPayee(figures.about) });
    return { record, position };
  }

  /**
   * All balances of an affiliate. Throws `not_found` if the caller's account has no such affiliate.
   */
  async ofAffiliate(
    read: ReadContext,
    id: AffiliateId,
    on: string | undefined,
  ): Promise<ShownBalances> {
    const { caller } = read;
    const days = this.days(on);
    const { money } = this.parts;
    await money.settle(shownFrom, read);
    const { value: affiliate } = await money.get(affiliatesProjection, id);
    if (affiliate?.['account_id'] !== caller.accountId) throw notFound('affiliate', id);
    const found = await balanceDocuments(money, balancesOfAffiliate(caller.accountId, id));
    const { records, position } = await showBalances(money, caller, found, days);
    return { records: byCurrency(records), position };
  }

  /**
   * Adds up the open balances. The first page is read at once; the others take turns with the reads
   * of other accounts, so that any number of balances delays other requests by no more than the
   * read of a page.
   */
  async summary(
    read: ReadContext,
    { program_id, on: asked }: SummaryParameters,
  ): Promise<SummaryAt> {
    const { caller } = read;
    const { on } = this.days(asked);
    const { money, throttledReads } = this.parts;
    const open = { account_id: caller.accountId, program_id, is_open: true };
    await money.settle([balancesProjection], read);
    const totals = new SummaryTotals(on);
    const add = ({ value }: ReadResult<readonly BalanceDocument[]>): void =>
      value.forEach((document) => totals.add(figuresFromDocument(document)));
    const first = await this.openBalances(open, undefined);
    add(first);
    if (first.value.length === pageSize)
      await throttledReads.run(caller, async () => {
        const rest = this.openBalancesAfter(open, first.value.at(-1));
        for await (const page of throttledReads.batches(rest)) add(page);
      });
    return totals.summary(requirePosition(first.position));
  }

  /** The balance. Throws `not_found` if the caller's account has no such balance. */
  async own(id: BalanceId, { accountId }: Reader): Promise<LoadedBalance> {
    const loaded = await this.parts.reader.load(id);
    if (loaded?.accountId !== accountId) throw notFound('balance', id);
    return loaded;
  }

  private async *openBalancesAfter(
    open: OpenBalances,
    last: BalanceDocument | undefined,
  ): AsyncGenerator<ReadResult<readonly BalanceDocument[]>> {
    for (let after = last; after !== undefined;) {
      const page = await this.openBalances(open, after);
      yield page;
      after = page.value.length === pageSize ? page.value.at(-1) : undefined;
    }
  }

  private openBalances(
    open: OpenBalances,
    after: BalanceDocument | undefined,
  ): Promise<ReadResult<readonly BalanceDocument[]>> {
    return balanceDocuments(this.parts.money, {
      where: equals(open),
      order: { fields: ['created_at', 'id'], descending: false },
      ...(after !== undefined && { after: [after.created_at, after.id] }),
      limit: pageSize,
    });
  }
}

/** Which balances are added up. */
interface SummaryParameters {
  readonly program_id?: string | undefined;
  /** The day that separates payable from held. */
  readonly on?: string | undefined;
}

/** The filters for open balances. */
type OpenBalances = Parameters<typeof equals>[0];

/** The read models from which a list of balances is shown. */
const shownFrom = [balancesProjection, ...payeeProjections];

/** Few enough balances that reading them delays other requests by a few milliseconds. */
const pageSize = 100;
