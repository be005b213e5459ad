import { comparePositions, type Position } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';

export interface ErasureFigures {
  readonly running: number;
  readonly oldestSeconds: number;
}

export const noErasures: ErasureFigures = { running: 0, oldestSeconds: 0 };

/** The erasures that were read and are not carried out, so that they are counted between attempts. */
export class RunningErasures {
  /** By the ids of their events. */
  private readonly events = new Map<string, Pick<LoggedEvent, 'position' | 'metadata'>>();

  add(event: LoggedEvent): void {
    this.events.set(event.id, event);
  }

  remove(id: string): void {
    this.events.delete(id);
  }

  /** Removes the erasures up to a position, which another ledger has carried out. */
  removeThrough(through: Position | undefined): void {
    if (through === undefined) return;
    for (const [id, { position }] of this.events)
      if (comparePositions(position, through) <= 0) this.remove(id);
  }

  /** How many there are, and for how long the oldest one has been recorded. `now` in milliseconds. */
  figures(now: number): ErasureFigures {
    if (this.events.size === 0) return noErasures;
    const times = [...this.events.values()].map(({ metadata }) => Date.parse(metadata.recorded_at));
    return {
      running: this.events.size,
      oldestSeconds: Math.max(0, now - Math.min(...times)) / 1_000,
    };
  }
}
