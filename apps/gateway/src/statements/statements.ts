import type { Position, StatementRecord, StatementSummary } from '@refledger/contracts';
import type { BalanceReader } from '@refledger/balances';
import type { CommandHandler, PacedReads, PostedThrough } from '@refledger/application';
import type { BalanceAbout } from '@refledger/domain';
import { isDecidedSince, type EventLog } from '@refledger/event-log';
import {
  statementFigures,
  statementsProjection,
  StatementTotals,
  statementTotalsProjection,
  type StatementFigures,
} from '@refledger/projections';
import type { ProjectionSpec } from '@refledger/read-store';
import {
  type MoneyReads,
  notFound,
  monthsOfAccount,
  monthsOfBalance,
  statementNames,
  isFinal,
  periodOf,
  type StatementPeriod,
  rowProjections,
  statementRows,
  requirePosition,
  type ReadContext,
} from '@refledger/queries';
import type { LedgerStreams } from '../balances/ledger-streams.js';
import { requireNoPage } from '../exports/without-page.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { positionHeader } from '../records.js';
import { statementCsv } from './statement-csv.js';
import { pageRequest, statementPage } from './statement-page.js';

export interface StatementsParts {
  readonly log: Pick<EventLog, 'readStream'>;
  readonly money: MoneyReads;
  readonly reader: Pick<BalanceReader, 'owner' | 'between'>;
  readonly commands: Pick<CommandHandler, 'instant'>;
  readonly pacedReads: PacedReads;
  readonly streams: LedgerStreams;
}

/** Reads statements. */
export class Statements {
  constructor(private readonly parts: StatementsParts) {}

  /** A statement with one page of its lines. */
  async get(call: Call<'getBalanceStatement'>): Promise<ApiResponse> {
    const { id, query } = call;
    const period = this.period(query.month);
    const page = pageRequest(query, ['statement', id, period.month]);
    const { about, posted, position, figures } = await this.figures(call, period);
    const { lines: range, chain, ...sums } = figures;
    const { lines, nextCursor } = await statementPage(this.parts, id, range, page);
    const body: StatementRecord = {
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
      has_more: nextCursor !== null,
      next_cursor: nextCursor,
    };
    return { status: 200, body, headers: positionHeader(position) };
  }

  /** A statement with all of its lines as CSV, with a bounded amount of memory. */
  async csv(call: Call<'getBalanceStatement'>): Promise<ApiResponse> {
    const { caller, id, query } = call;
    const { money, reader, pacedReads, streams } = this.parts;
    requireNoPage(query);
    const period = this.period(query.month);
    const { about, posted, position, figures } = await this.figures(call, period);
    // so that they have every sale and payout that the lines name
    await money.settle(rowProjections, { caller, minPosition: position });
    const { lines, opening, closing } = figures;
    const { currency } = about;
    const final = await this.isFinal(period, posted, position);
    const names = await statementNames(money, caller.accountId, about);
    const events = lines === undefined ? nothing() : reader.between(id, lines, csvBatch);
    const rows = pacedReads.batches(statementRows(money, events, period.month));
    const sheet = { ...names, period, currency, opening, closing, final };
    return {
      status: 200,
      csv: streams.send(caller, statementCsv(rows, sheet)),
      headers: {
        ...positionHeader(position),
        'content-disposition': `attachment; filename="statement-${id}-${period.month}.csv"`,
      },
    };
  }

  async summary(call: Call<'getStatementSummary'>): Promise<ApiResponse> {
    const { caller, query } = call;
    const { money } = this.parts;
    const period = this.period(query.month);
    const posted = await this.settle(statementTotalsProjection, call);
    const found = await monthsOfAccount(money, caller.accountId, period);
    const totals = new StatementTotals(period.month);
    for (const document of found.value) totals.add(document);
    const position = requirePosition(found.position);
    const body: StatementSummary = {
      object: 'statement_summary',
      ...period,
      final: await this.isFinal(period, posted, position),
      currencies: [...totals.rows()],
      position,
    };
    return { status: 200, body, headers: positionHeader(position) };
  }

  private async figures(
    call: Call<'getBalanceStatement'>,
    period: StatementPeriod,
  ): Promise<FoundStatement> {
    const { caller, id } = call;
    const { money, reader } = this.parts;
    const posted = await this.settle(statementsProjection, call);
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

  private period(month: string): StatementPeriod {
    return periodOf(month, this.parts.commands.instant());
  }
}

/** The figures of a statement, and what they are read from. */
interface FoundStatement {
  readonly about: BalanceAbout;
  /** How far posting had got before the figures were read. */
  readonly posted: PostedThrough;
  readonly position: Position | undefined;
  readonly figures: StatementFigures;
}

/** How many events of a balance are in memory at a time, each with a lookup in a read model. */
const csvBatch = 100;

async function* nothing(): AsyncGenerator<never> {}
