import type { LoggedEvent } from '@refledger/event-log';
import type { Entry } from '@refledger/testing';
import type { Client } from './client.js';
import { compareOwed } from './compare/owed.js';
import { comparePosted } from './compare/posted.js';
import { readEvents } from './facts.js';
import { historyOf } from './history.js';
import { readBalances } from './read-money.js';
import type { Subject } from './subject.js';

/**
 * Compares balances between the rounds, while nothing is written. Entries never change, so those of
 * earlier rounds are not read again.
 */
export class SettledBalances {
  private events: readonly LoggedEvent[] = [];
  private entries: readonly Entry[] = [];

  constructor(
    private readonly client: Client,
    private readonly subject: Subject,
  ) {}

  /** Waits until everything is posted. Returns the differences from the log. */
  async compare(): Promise<readonly string[]> {
    this.events = await readEvents(this.subject, this.events);
    const history = historyOf(this.events);
    const money = await readBalances(this.client, history.position, this.entries);
    this.entries = money.entries[0] ?? [];
    return [
      ...comparePosted({ history, money }).differences,
      ...compareOwed({ money }).differences,
    ];
  }
}
