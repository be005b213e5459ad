import {
  dayOf,
  isPosition,
  streams,
  toInstant,
  type AffiliateId,
  type BalanceId,
  type BalanceRecord,
  type Position,
} from '@refledger/contracts';
import type { BalanceReader, LoadedBalance } from '@refledger/balances';
import type {
  CommandHandler,
  Consistency,
  LedgerConsistency,
  ThrottledReads,
  Reader,
} from '@refledger/application';
import { affiliateDecider, affiliateRecord, balanceRecord, figuresOf } from '@refledger/domain';
import {
  balancesProjection,
  minuteIndexProjection,
  type MinuteIndex,
} from '@refledger/projections';
import { aheadOfTheLog, type AsOfParts, positionOf } from '../history/as-of.js';
import type { MoneyReads } from '../money-reads.js';
import { PayeesAt, type PayeesAtParts } from './payees-at.js';
import type { ReadContext } from '../read-models.js';
import { recordReader, notFoundAt } from '../own-record.js';
import type { CurrentBalances } from './current-balances.js';
import {
  balanceDocuments,
  balancesOfAffiliate,
  byCurrency,
  type ShownBalance,
  type ShownBalances,
  viewDays,
  type ViewDays,
} from './shown-balances.js';

export interface PastBalancesParts extends PayeesAtParts, AsOfParts {
  readonly commands: Pick<CommandHandler, 'load' | 'instant'>;
  readonly consistency: Pick<Consistency, 'settleLog'>;
  readonly money: MoneyReads;
  readonly ledger: Pick<LedgerConsistency, 'settleAt'>;
  readonly reader: Pick<BalanceReader, 'loadAt' | 'createdAt'>;
  readonly current: Pick<CurrentBalances, 'own'>;
  readonly minuteIndex: Pick<MinuteIndex, 'dayAt'>;
  readonly throttledReads: ThrottledReads;
}

/** When balances are read, and for which day. */
export interface PastParameters {
  /** A position, or an RFC 3339 time. */
  readonly as_of: string;
  /** The day that separates payable from held. */
  readonly on?: string | undefined;
}

/**
 * Reads balances as they were at a position or a time: what had been posted by then, with the
 * affiliate and the program as they were then. The log up to a position never changes, so these
 * reads do not wait for the ledger.
 */
export class PastBalances {
  constructor(private readonly parts: PastBalancesParts) {}

  async get(read: ReadContext, id: BalanceId, at: PastParameters): Promise<ShownBalance> {
    const { caller } = read;
    const position = await this.positionOf(at.as_of, read);
    if (position === undefined) throw await this.notFoundAt(id, caller, position);
    const days = await this.days(caller, at, position);
    const [past] = await this.balancesAt([id], caller, position);
    if (past?.loaded.accountId !== caller.accountId)
      throw await this.notFoundAt(id, caller, position);
    return { record: await this.shown(past, caller, { ...days, position }), position };
  }

  async ofAffiliate(
    read: ReadContext,
    id: AffiliateId,
    at: PastParameters,
  ): Promise<ShownBalances> {
    const { caller } = read;
    const { commands, ledger, money } = this.parts;
    const position = await this.positionOf(at.as_of, read);
    const now = await commands.load(affiliateDecider, streams.affiliate(id));
    requireAffiliate(id, now, caller.accountId);
    if (position === undefined) throw notFoundAt('affiliate', id, position);
    const days = await this.days(caller, at, position);
    if ((await new PayeesAt(this.parts, caller, position).affiliate(id)) === undefined)
      throw notFoundAt('affiliate', id, position);
    await ledger.settleAt(balancesProjection, caller, position);
    const { value } = await balanceDocuments(money, balancesOfAffiliate(caller.accountId, id));
    const ids = value.map((balance) => balance.id);
    const shown: BalanceRecord[] = [];
    for (const past of await this.balancesAt(ids, caller, position))
      shown.push(await this.shown(past, caller, { ...days, position }));
    return { records: byCurrency(shown), position };
  }

  /** The position of `as_of`, which the log has reached; undefined before the log began. */
  private async positionOf(
    asOf: string,
    { caller, minPosition }: ReadContext,
  ): Promise<Position | undefined> {
    const { consistency } = this.parts;
    const position = await positionOf(asOf, caller, this.parts);
    if (position !== undefined) await consistency.settleLog(caller, position, aheadOfTheLog);
    if (minPosition !== undefined) await consistency.settleLog(caller, minPosition);
    return position;
  }

  /** If `as_of` is a time, today is its day; if it is a position, the day of log time there. */
  private async days(
    caller: Reader,
    { as_of, on }: PastParameters,
    position: Position,
  ): Promise<ViewDays> {
    if (!isPosition(as_of)) return viewDays(on, dayOf(toInstant(Math.max(0, Date.parse(as_of)))));
    const { ledger, minuteIndex, commands } = this.parts;
    await ledger.settleAt(minuteIndexProjection, caller, position);
    const day = await minuteIndex.dayAt(position);
    return viewDays(on, day ?? dayOf(commands.instant()));
  }

  /** The balances that existed then. Reading them takes turns with the reads of other accounts. */
  private balancesAt(
    ids: readonly BalanceId[],
    caller: Reader,
    position: Position,
  ): Promise<readonly PastBalance[]> {
    const { throttledReads } = this.parts;
    return throttledReads.run(caller, async () => {
      const found: PastBalance[] = [];
      for await (const past of throttledReads.batches(this.eachAt(ids, position))) found.push(past);
      return found;
    });
  }

  private async *eachAt(
    ids: readonly BalanceId[],
    position: Position,
  ): AsyncGenerator<PastBalance> {
    const { reader } = this.parts;
    for (const id of ids) {
      const loaded = await reader.loadAt(id, position);
      const createdAt = await reader.createdAt(id);
      if (loaded !== undefined && createdAt !== undefined) yield { loaded, createdAt };
    }
  }

  private async shown(
    { loaded, createdAt }: PastBalance,
    caller: Reader,
    { position, ...days }: ViewDays & { readonly position: Position },
  ): Promise<BalanceRecord> {
    const figures = figuresOf(loaded.state);
    if (figures === undefined) throw new TypeError('a balance without events was loaded');
    const payee = await new PayeesAt(this.parts, caller, position).getPayee(figures.about);
    const view = { ...days, position, createdAt, updatedAt: loaded.recordedAt, payee };
    return balanceRecord(figures, view);
  }

  /** The error for a balance that did not exist then, or that the account does not have at all. */
  private async notFoundAt(
    id: BalanceId,
    caller: Reader,
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
