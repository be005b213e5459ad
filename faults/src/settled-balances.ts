import type { LoggedEvent } from '@refledger/event-log';
import type { Entry } from '@refledger/testing';
import type { Client } from './client.js';
import { compareOwed } from './compare/owed.js';
import { comparePaid } from './compare/paid.js';
import { comparePosted } from './compare/posted.js';
import { compareRuns } from './compare/runs.js';
import { compareTrailed } from './compare/trailed.js';
import { historyOf } from './history.js';
import { readLedger, type Ledger } from './ledger.js';
import { readBalances } from './read-money.js';
import type { Subject } from './subject.js';
import { readFinished } from './unfinished.js';

interface SettleContext {
  readonly client: Client;
  readonly subject: Subject;
  readonly ledger: Pick<Ledger, 'path'>;
}

/**
 * Compares balances and payouts between the rounds, while nothing is written. Entries never change,
 * so entries of earlier rounds are not read again.
 */
export class SettledBalances {
  private events: readonly LoggedEvent[] = [];
  private posted: readonly Entry[] = [];

  constructor(private readonly settling: SettleContext) {}

  /**
   * Waits until the ledger has finished its work. Returns the differences from log and requests.
   */
  async compare(): Promise<readonly string[]> {
    const { client, subject, ledger } = this.settling;
    this.events = await readFinished(subject, this.events);
    const history = historyOf(this.events);
    const money = await readBalances(client, history.position, this.posted);
    this.posted = money.entries[0] ?? [];
    const entries = await readLedger(ledger.path);
    return [
      comparePosted({ history, money }),
      compareOwed({ history, money }),
      comparePaid({ entries, history, money }),
      compareRuns({ history, money }),
      compareTrailed({ history }),
    ].flatMap(({ differences }) => differences);
  }
}
