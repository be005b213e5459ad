import { EventLogError, type EventLog } from '@refledger/event-log';
import { eventually } from '@refledger/testing';
import type { RelayStatus } from '../../src/relay.js';
import { ForkedProcess } from './forked-process.js';

export interface RelayProcessOptions {
  readonly file: string;
  readonly brokers: readonly string[];
  readonly prefix: string;
  readonly partitions: number;
  readonly session: { readonly sessionTimeout: number; readonly heartbeatInterval: number };
  /** Which commit of records the relay stops before, counted from 1. */
  readonly holdCommit?: number;
}

/** A relay in a separate process. */
export class RelayProcess extends ForkedProcess {
  readonly inside: Promise<void>;
  status: RelayStatus | undefined;

  constructor(
    private readonly log: EventLog,
    options: RelayProcessOptions,
  ) {
    super('relay-process.mjs', options);
    this.inside = new Promise((resolve) =>
      this.child.on('message', (message: ChildMessage) => message.inside === true && resolve()),
    );
    this.child.on('message', (message: ChildMessage) => {
      if (message.status !== undefined) this.status = message.status;
      if (message.ask !== undefined && message.append !== undefined)
        void this.append(message.ask, message.append);
    });
  }

  waitForState(state: 'stopped' | 'retrying'): Promise<void> {
    return eventually(
      () => {
        const { state: now, error } = this.status ?? {};
        if (now !== state) throw new Error(`the relay is ${now}, not ${state}: ${error}`);
      },
      { timeoutMs: 60_000 },
    );
  }

  /** Resolves once the relay has published everything that is in the log now. */
  async caughtUp(): Promise<void> {
    const head = await this.log.head();
    await eventually(
      () => {
        const { position, error, standingBy } = this.status ?? {};
        if (standingBy !== false || position === undefined || BigInt(position) < BigInt(head ?? 0))
          throw new Error(`the relay is at ${position} of ${head}: ${error}`);
      },
      { timeoutMs: 60_000 },
    );
  }

  go(): void {
    this.child.send({ go: true });
  }

  private async append(ask: number, append: Parameters<EventLog['append']>): Promise<void> {
    const answer = await this.log.append(...append).then(
      (appended) => ({ appended }),
      (error: unknown) => ({
        error: {
          fault: error instanceof EventLogError ? error.fault : { kind: 'unavailable' },
          message: String(error),
        },
      }),
    );
    if (this.child.connected) this.child.send({ answer: ask, ...answer });
  }
}

interface ChildMessage {
  readonly inside?: boolean;
  readonly status?: RelayStatus;
  readonly ask?: number;
  readonly append?: Parameters<EventLog['append']>;
}
