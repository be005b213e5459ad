import { setTimeout as sleep } from 'node:timers/promises';

/** Whether one part of the service can do its work, and if not, why. */
export interface PartHealth {
  readonly part: string;
  readonly ready: boolean;
  readonly detail: string;
}

/** Keeps the last report of each part. A part that has not reported yet is not ready. */
export class Health {
  private readonly parts = new Map<string, PartHealth>();
  private readonly conditions = new Map<string, () => string | undefined>();
  private onReady: (() => void) | undefined;

  constructor(expected: readonly string[]) {
    for (const part of expected) this.parts.set(part, { part, ready: false, detail: 'starting' });
  }

  report(health: PartHealth): void {
    this.parts.set(health.part, health);
    if (this.onReady !== undefined && this.summary().ready) this.onReady();
  }

  /**
   * Adds a condition to a part: while `failure` returns a text, the part is not ready, whatever it
   * has reported.
   */
  require(part: string, failure: () => string | undefined): void {
    this.conditions.set(part, failure);
  }

  /**
   * Resolves once all parts are ready, or after `ms` milliseconds: a part may need hours, or an
   * operator's decision.
   */
  async readyWithin(ms: number): Promise<void> {
    if (this.summary().ready) return;
    const ready = new Promise<void>((resolve) => (this.onReady = resolve));
    const ended = new AbortController();
    await Promise.race([ready, sleep(ms, undefined, { signal: ended.signal })]);
    ended.abort();
  }

  summary(): { readonly ready: boolean; readonly parts: readonly PartHealth[] } {
    const parts = [...this.parts.values()].map((health) => this.conditional(health));
    return { ready: parts.every((part) => part.ready), parts };
  }

  private conditional(health: PartHealth): PartHealth {
    const failure = this.conditions.get(health.part)?.();
    return failure === undefined ? health : { ...health, ready: false, detail: failure };
  }
}
