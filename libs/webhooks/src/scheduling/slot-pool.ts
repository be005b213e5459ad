import { latencyClasses } from './latency-classes.js';

export interface Slot {
  /** The latency class in which it counts; undefined if it counts only in total. */
  latencyClass: number | undefined;
}

/**
 * The slots of all latency classes. An endpoint that uses more slots than its floor takes the
 * further ones as spare slots: only while a quarter of its latency class stays free. The first
 * slots of other endpoints are therefore at hand whatever one endpoint uses.
 */
export class SlotPool {
  private readonly used = latencyClasses.map(() => 0);
  private readonly sizes: readonly number[];
  private taken = 0;

  constructor(private readonly total: number) {
    this.sizes = latencyClasses.map(({ share }) => Math.max(1, Math.floor(total * share)));
  }

  get inUse(): number {
    return this.taken;
  }

  /** Whether the classes hold more slots than there are, since endpoints in them turned slow. */
  get isOverfull(): boolean {
    return this.used.reduce((sum, count) => sum + count, 0) > this.total;
  }

  /** Whether this latency class has a free slot. */
  hasSlot(latencyClass: number, { isSpare = false } = {}): boolean {
    const [used, size] = [this.used[latencyClass] ?? 0, this.sizes[latencyClass] ?? 0];
    return isSpare
      ? used + 1 <= size * spareShare && this.taken < this.total
      : used < size && this.taken < 2 * this.total;
  }

  take(latencyClass: number): Slot {
    this.taken++;
    this.count(latencyClass, 1);
    return { latencyClass };
  }

  free({ latencyClass }: Slot): void {
    this.taken--;
    this.count(latencyClass, -1);
  }

  /** Moves a slot to another class, even if that has no free slot; or out of all classes. */
  move(slot: Slot, latencyClass: number | undefined): void {
    this.count(slot.latencyClass, -1);
    slot.latencyClass = latencyClass;
    this.count(latencyClass, 1);
  }

  private count(latencyClass: number | undefined, by: number): void {
    if (latencyClass !== undefined) this.used[latencyClass] = (this.used[latencyClass] ?? 0) + by;
  }
}

/** The fraction of a class's slots that may be in use when a spare one is taken, including it. */
const spareShare = 3 / 4;
