import type { BalanceId, Position, StatementRecord, StatementSummary } from '@refledger/contracts';
import type { PersonalData } from '@refledger/personal-data';
import type { BalanceReader } from '@refledger/balances';
import type { CommandHandler, ThrottledReads, PostedThrough } from '@refledger/application';
import type { BalanceKey } from '@refledger/domain';
import { isDecidedSince, type EventLog } from '@refledger/event-log';
import {
  statementFigures,
  statementsProjection,
  StatementTotals,
  statementTotalsProjection,
  type StatementFigures,
} from '@refledger/projections';
import type { ProjectionSpec } from '@refledger/read-store';
import type { MoneyReads } from '../money-reads.js';
import { notFound } from '../own-record.js';
import { monthsOfAccount, monthsOfBalance } from './statement-months.js';
import { statementNames, type StatementNames } from './statement-names.js';
import { isFinal, periodOf, type StatementPeriod } from './statement-period.js';
import { rowProjections, statementRows, type StatementRow } from './statement-rows.js';
import { requirePosition } from '../balances/shown-balances.js';
import type { ReadContext } from '../read-models.js';
import { statementPage, type PageRequest, type StatementPage } from './statement-page.js';

export interface StatementsParts {
  readonly log: Pick<EventLog, 'readStream'>;
  readonly money: MoneyReads;
  readonly reader: Pick<BalanceReader, 'owner' | 'eventsBetween'>;
  readonly commands: Pick<CommandHandler, 'instant'>;
  readonly throttledReads: ThrottledReads;
  readonly personalData: Pick<PersonalData, 'openAffiliates'>;
}

/** A statement with one page of its lines, and the position that it reflects. */
export interface StatementWithLines extends Pick<StatementPage, 'last'> {
  readonly statement: Omit<StatementRecord, 'has_more' | 'next_cursor'>;
  readonly position: Position | undefined;
}

/** The month of an account, and the position that it reflects. */
export type StatementSummaryAt = StatementSummary & { readonly position: Position };

/** What a statement has besides its rows. */
export interface StatementSheet extends StatementNames {
  readonly period: Pick<StatementPeriod, 'from' | 'to'>;
  readonly currency: string;
  readonly opening: bigint;
  readonly closing: bigint;
  readonly final: boolean;
}

/** A statement with all of its rows, and the position that it reflects. */
export interface StatementRows {
  readonly sheet: StatementSheet;
  readonly rows: AsyncIterable<readonly StatementRow[]>;
  readonly position: Position | undefined;
}

export class Statements {
  constructor(private readonly parts: StatementsParts) {}

  /** The period of a month. Throws `validation_failed` for one that has not begun. */
  period(month: string): StatementPeriod {
    return periodOf(month, this.parts.commands.instant());
  }

  /**
   * A statement with one page of its lines. Throws `not_found` if the caller has no such balance.
   */
  async get(
    read: ReadContext,
    { id, period }: StatementOf,
    page: PageRequest,
  ): Promise<StatementWithLines> {
    const { about, posted, position, figures } = await this.figures(read, { id, period });
    const { lines: range, chain, ...sums } = figures;
    const { lines, last } = await statementPage(this.parts, id, range, page);
    const statement: StatementWithLines['statement'] = {
      object: 'statement',
      balance_id: id,
      affiliate_id: about.affiliate_id,
      currency: about.currency,
      from: period.from,
      to: period.to,
      final: await this.isFinal(period, posted, position),
      ...sums,
      chain,
      data: [...lines],
    };
    return { statement, last, position };
  }

  /** A statement with all of its lines, which are read as they are needed. Throws like `get`. */
  async sheet(read: ReadContext, { id, period }: StatementOf): Promise<StatementRows> {
    const { caller } = read;
    const { money, reader, throttledReads } = this.parts;
    const { about, posted, position, figures } = await this.figures(read, { id, period });
    // so that they have every sale and payout that the lines name
    await money.settle(rowProjections, { caller, minPosition: position });
    const { lines, opening, closing } = figures;
    const { currency } = about;
    const final = await this.isFinal(period, posted, position);
    const names = await statementNames(this.parts, caller.accountId, about);
    const events = lines === undefined ? nothing() : reader.eventsBetween(id, lines, rowsPerBatch);
    const rows = throttledReads.batches(statementRows(money, events, period.month));
    return { sheet: { ...names, period, currency, opening, closing, final }, rows, position };
  }

  /** The month of the account, per currency. */
  async summary(read: ReadContext, period: StatementPeriod): Promise<StatementSummaryAt> {
    const { money } = this.parts;
    const posted = await this.settle(statementTotalsProjection, read);
    const found = await monthsOfAccount(money, read.caller.accountId, period);
    const totals = new StatementTotals(period.month);
    for (const document of found.value) totals.add(document);
    const position = requirePosition(found.position);
    return {
      object: 'statement_summary',
      ...period,
      final: await this.isFinal(period, posted, position),
      currencies: [...totals.rows()],
      position,
    };
  }

  private async figures(read: ReadContext, { id, period }: StatementOf): Promise<FoundStatement> {
    const { caller } = read;
    const { money, reader } = this.parts;
    const posted = await this.settle(statementsProjection, read);
    const owner = await reader.owner(id);
    if (owner?.accountId !== caller.accountId) throw notFound('balance', id);
    const { value, position } = await monthsOfBalance(money, id, period);
    const figures = statementFigures(id, period.month, value);
    return { about: owner.about, posted, position, figures };
  }

  /**
   * Waits as every read of money does. Returns how far posting had got; what is read from the read
   * model after this includes everything posted by then.
   */
  private async settle(projection: ProjectionSpec, context: ReadContext): Promise<PostedThrough> {
    const { money } = this.parts;
    await money.settle([], context);
    const posted = await money.postedThrough();
    await money.settle([projection], context);
    return posted;
  }

  /** Nor is it final while posting has to work out log time again, because of a decision. */
  private async isFinal(
    period: StatementPeriod,
    posted: PostedThrough,
    read: Position | undefined,
  ): Promise<boolean> {
    const { log, commands } = this.parts;
    const now = Date.parse(commands.instant());
    return (
      isFinal(period, posted, { read, now }) && !(await isDecidedSince(log, posted.decidedRevision))
    );
  }
}

interface StatementOf {
  readonly id: BalanceId;
  readonly period: StatementPeriod;
}

/** The figures of a statement, and what they are read from. */
interface FoundStatement {
  readonly about: BalanceKey;
  /** How far posting had got before the figures were read. */
  readonly posted: PostedThrough;
  readonly position: Position | undefined;
  readonly figures: StatementFigures;
}

/** How many events of a balance are in memory at a time, each with a lookup in a read model. */
const rowsPerBatch = 100;

async function* nothing(): AsyncGenerator<never> {}
