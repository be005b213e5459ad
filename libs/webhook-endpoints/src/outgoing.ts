import { EventEmitter } from 'node:events';

/**
 * Whether the service may send anything to others. A copy that is only tried must not: its webhooks
 * would reach the receivers of the original. Emits `change`.
 */
export class Outgoing extends EventEmitter<{ change: [] }> {
  /** `reason` says why nothing is sent; undefined if the service sends. */
  constructor(private reason?: string | undefined) {
    super();
  }

  /** Why nothing is sent; undefined while the service sends. */
  get blocked(): string | undefined {
    return this.reason;
  }

  set(reason: string | undefined): void {
    if (reason === this.reason) return;
    this.reason = reason;
    this.emit('change');
  }
}
