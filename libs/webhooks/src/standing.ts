import type { FollowerLogger } from '@refledger/event-log';
import { pause, type Clock } from './clock.js';
import type { DispatcherStatus } from './dispatcher-reports.js';

/** Whether the dispatcher runs, and when it doesn't, what it waits for. What an operator must decide is asked of the log again and again. */
export class Standing {
  private readonly waits = new Set<string>();
  private assigned = false;
  private closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly logger: FollowerLogger,
    private readonly onChange: () => void,
  ) {}

  get state(): DispatcherStatus['state'] {
    if (this.closed) return 'closed';
    if (this.waits.size > 0) return 'stopped';
    return this.assigned ? 'running' : 'starting';
  }

  get reason(): string | undefined {
    return this.waits.size === 0 ? undefined : [...this.waits].join('; ');
  }

  /** The bus has our place; until it is asked again. */
  assign(assigned: boolean): void {
    this.assigned = assigned;
    this.onChange();
  }

  close(): void {
    this.closed = true;
    this.onChange();
  }

  /** Stops loudly until `decided`, or until `signal` aborts. */
  async waitFor(reason: string, signal: AbortSignal, decided: () => Promise<boolean>): Promise<void> {
    this.waits.add(reason);
    this.onChange();
    this.logger.error({ reason }, `the webhook-dispatcher has stopped: ${reason}`);
    while (!signal.aborted && !(await this.asked(decided))) await pause(this.clock, pollMs, signal);
    this.waits.delete(reason);
    if (!signal.aborted) this.logger.info({ reason }, 'the webhook-dispatcher goes on');
    this.onChange();
  }

  private async asked(decided: () => Promise<boolean>): Promise<boolean> {
    try {
      return await decided();
    } catch (error) {
      this.logger.warn({ err: error }, 'the webhook-dispatcher could not look for a decision');
      return false;
    }
  }
}

const pollMs = 250;
