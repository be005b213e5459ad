import type { LeaseRequest } from '@refledger/read-store';
import type { Clock } from '../clock.js';

/** Leases by name, on the store's clock. */
export class Leases {
  private readonly held = new Map<string, { readonly holder: string; readonly until: number }>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  hold({ name, holder, forMs }: LeaseRequest): boolean {
    const current = this.held.get(name);
    const now = this.clock.now();
    const isHeld = current !== undefined && current.until > now && current.until <= now + 2 * forMs;
    if (isHeld && current.holder !== holder) return false;
    this.held.set(name, { holder, until: now + forMs });
    return true;
  }

  release({ name, holder }: Pick<LeaseRequest, 'name' | 'holder'>): void {
    if (this.held.get(name)?.holder === holder) this.held.delete(name);
  }
}
