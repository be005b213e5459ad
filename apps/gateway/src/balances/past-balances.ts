import {
  dayOf,
  isPosition,
  laterOf,
  streams,
  toInstant,
  type BalanceId,
  type BalanceRecord,
  type Position,
} from '@refledger/contracts';
import type { BalanceReader, LoadedBalance } from '@refledger/balances';
import type { LedgerConsistency, PacedReads } from '@refledger/application';
import { affiliateDecider, affiliateRecord, balanceRecord, figuresOf } from '@refledger/domain';
import {
  balancesProjection,
  minuteMarksProjection,
  type MinuteMarks,
} from '@refledger/projections';
import {
  aheadOfTheLog,
  positionOf,
  notFoundAt,
  type MoneyReads,
  PayeesAt,
  viewDays,
  type ViewDays,
} from '@refledger/queries';
import type { RecordReadsParts } from '../history/record-reads.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import type { Caller } from '../http/request/caller.js';
import type { ReadContext } from '../read-models.js';
import { positionHeader, recordReader } from '../records.js';
import type { CurrentBalances } from './current-balances.js';
import { affiliateResponse, balanceDocuments, balancesOfAffiliate } from './shown-balances.js';

export interface PastBalancesParts {
  readonly records: RecordReadsParts;
  readonly money: MoneyReads;
  readonly ledger: Pick<LedgerConsistency, 'settleAt'>;
  readonly reader: Pick<BalanceReader, 'at' | 'createdAt'>;
  readonly current: Pick<CurrentBalances, 'own'>;
  readonly marks: Pick<MinuteMarks, 'dayAt'>;
  readonly pacedReads: PacedReads;
}

/**
 * Reads balances as they were at a position or a time: what had been posted by then, with the
 * affiliate and the program as they were then. The log up to a position never changes, so these
 * reads do not wait for the ledger.
 */
export class PastBalances {
  constructor(private readonly parts: PastBalancesParts) {}

  async get(call: Call<'getBalance'>, asOf: string): Promise<ApiResponse> {
    const { caller, id } = call;
    const position = await this.positionOf(asOf, call);
    if (position === undefined) throw await this.notFoundAt(id, caller, position);
    const days = await this.days(call, asOf, position);
    const [past] = await this.at([id], caller, position);
    if (past?.loaded.accountId !== caller.accountId)
      throw await this.notFoundAt(id, caller, position);
    const body = await this.shown(past, caller, { ...days, position });
    return { status: 200, body, headers: headersOf(position, call) };
  }

  async ofAffiliate(call: Call<'getAffiliateBalances'>, asOf: string): Promise<ApiResponse> {
    const { caller, id } = call;
    const { records, ledger, money } = this.parts;
    const position = await this.positionOf(asOf, call);
    const now = await records.commands.load(affiliateDecider, streams.affiliate(id));
    requireAffiliate(id, now, caller.accountId);
    if (position === undefined) throw notFoundAt('affiliate', id, position);
    const days = await this.days(call, asOf, position);
    if ((await new PayeesAt(records, caller, position).affiliate(id)) === undefined)
      throw notFoundAt('affiliate', id, position);
    await ledger.settleAt(balancesProjection, caller, position);
    const { value } = await balanceDocuments(money, balancesOfAffiliate(caller.accountId, id));
    const ids = value.map((balance) => balance.id);
    const shown: BalanceRecord[] = [];
    for (const past of await this.at(ids, caller, position))
      shown.push(await this.shown(past, caller, { ...days, position }));
    return affiliateResponse(shown, headersOf(position, call));
  }

  /** The position of `as_of`, which the log has reached; undefined before the log began. */
  private async positionOf(
    asOf: string,
    { caller, minPosition }: ReadContext,
  ): Promise<Position | undefined> {
    const { records } = this.parts;
    const position = await positionOf(asOf, caller, records);
    if (position !== undefined)
      await records.consistency.settleLog(caller, position, aheadOfTheLog);
    if (minPosition !== undefined) await records.consistency.settleLog(caller, minPosition);
    return position;
  }

  /** If `as_of` is a time, today is its day; if it is a position, the day of log time there. */
  private async days(
    { caller, query }: Pick<Call<'getBalance'>, 'caller' | 'query'>,
    asOf: string,
    position: Position,
  ): Promise<ViewDays> {
    if (!isPosition(asOf))
      return viewDays(query.on, dayOf(toInstant(Math.max(0, Date.parse(asOf)))));
    const { ledger, marks, records } = this.parts;
    await ledger.settleAt(minuteMarksProjection, caller, position);
    const day = await marks.dayAt(position);
    return viewDays(query.on, day ?? dayOf(records.commands.instant()));
  }

  /** The balances that existed then. Reading them takes turns with the reads of other accounts. */
  private at(
    ids: readonly BalanceId[],
    caller: Caller,
    position: Position,
  ): Promise<readonly PastBalance[]> {
    const { pacedReads } = this.parts;
    return pacedReads.run(caller, async () => {
      const found: PastBalance[] = [];
      for await (const past of pacedReads.batches(this.eachAt(ids, position))) found.push(past);
      return found;
    });
  }

  private async *eachAt(
    ids: readonly BalanceId[],
    position: Position,
  ): AsyncGenerator<PastBalance> {
    const { reader } = this.parts;
    for (const id of ids) {
      const loaded = await reader.at(id, position);
      const createdAt = await reader.createdAt(id);
      if (loaded !== undefined && createdAt !== undefined) yield { loaded, createdAt };
    }
  }

  private async shown(
    { loaded, createdAt }: PastBalance,
    caller: Caller,
    { position, ...days }: ViewDays & { readonly position: Position },
  ): Promise<BalanceRecord> {
    const figures = figuresOf(loaded.state);
    if (figures === undefined) throw new TypeError('a balance without events was loaded');
    const payee = await new PayeesAt(this.parts.records, caller, position).of(figures.about);
    const view = { ...days, position, createdAt, updatedAt: loaded.recordedAt, payee };
    return balanceRecord(figures, view);
  }

  /** The error for a balance that did not exist then, or that the account does not have at all. */
  private async notFoundAt(
    id: BalanceId,
    caller: Caller,
    position: Position | undefined,
  ): Promise<Error> {
    await this.parts.current.own(id, caller);
    return notFoundAt('balance', id, position);
  }
}

/** A balance as of a position, and when it was opened. */
interface PastBalance {
  readonly loaded: LoadedBalance;
  readonly createdAt: string;
}

const requireAffiliate = recordReader('affiliate', affiliateRecord);

const headersOf = (
  position: Position,
  { minPosition }: ReadContext,
): Readonly<Record<string, string>> => ({
  ...positionHeader(laterOf(position, minPosition)),
  'refledger-as-of': position,
});
