import { laterOf } from '@refledger/contracts';
import type { BalanceReader } from '@refledger/balances';
import type { PacedReads } from '@refledger/application';
import { ledgerLines, type MoneyReads } from '@refledger/queries';
import type { ApiResponse, Call } from '../http/request/call.js';
import { positionHeader } from '../records.js';
import type { CurrentBalances } from './current-balances.js';
import type { LedgerStreams } from './ledger-streams.js';

export interface BalanceLedgerParts {
  readonly money: MoneyReads;
  readonly reader: Pick<BalanceReader, 'chained'>;
  readonly current: Pick<CurrentBalances, 'own'>;
  readonly streams: LedgerStreams;
  readonly pacedReads: PacedReads;
}

/** Sends the chained events of balances, whatever their number, with a bounded amount of memory. */
export class BalanceLedger {
  constructor(private readonly parts: BalanceLedgerParts) {}

  async get(call: Call<'getBalanceLedger'>): Promise<ApiResponse> {
    const { caller, id } = call;
    const { money, reader, current, streams, pacedReads } = this.parts;
    const settled = await money.settle([], call);
    const loaded = await current.own(id, caller);
    const position = laterOf(loaded.position, settled) ?? loaded.position;
    const lines = pacedReads.batches(ledgerLines(id, reader.chained(id), position));
    return {
      status: 200,
      ndjson: streams.send(caller, lines),
      headers: positionHeader(position),
    };
  }
}
