import { laterOf, type BalanceId, type Position } from '@refledger/contracts';
import type { BalanceReader } from '@refledger/balances';
import type { ThrottledReads } from '@refledger/application';
import { ledgerLines } from './ledger-lines.js';
import type { MoneyReads } from '../money-reads.js';
import type { ReadContext } from '../read-models.js';
import type { CurrentBalances } from './current-balances.js';

export interface BalanceLedgerParts {
  readonly money: MoneyReads;
  readonly reader: Pick<BalanceReader, 'chained'>;
  readonly current: Pick<CurrentBalances, 'own'>;
  readonly throttledReads: ThrottledReads;
}

/**
 * The chained events of a balance as NDJSON, in pieces, and the least position that they reflect.
 */
export interface LedgerText {
  readonly text: AsyncIterable<string>;
  readonly position: Position;
}

/** Reads the chained events of balances, whatever their number, with a bounded amount of memory. */
export class BalanceLedger {
  constructor(private readonly parts: BalanceLedgerParts) {}

  /** Throws `not_found` if the caller's account has no such balance. */
  async get(read: ReadContext, id: BalanceId): Promise<LedgerText> {
    const { money, reader, current, throttledReads } = this.parts;
    const settled = await money.settle([], read);
    const loaded = await current.own(id, read.caller);
    const position = laterOf(loaded.position, settled) ?? loaded.position;
    return {
      text: throttledReads.batches(ledgerLines(id, reader.chained(id), position)),
      position,
    };
  }
}
