import type { BusPlace } from '../../src/event-bus.js';
import { ForkedProcess } from './forked-process.js';

export interface ConsumerProcessOptions {
  readonly file: string;
  readonly brokers: readonly string[];
  readonly prefix: string;
  readonly session: { readonly sessionTimeout: number; readonly heartbeatInterval: number };
}

/** What a delivery store keeps of the bus: places that only rise, and what was planned, once. */
export class SharedStore {
  readonly places = new Map<string, BusPlace>();
  readonly planned = new Map<string, { readonly key: string; readonly position: bigint }>();
  /** Times that something was planned again, which changes nothing. */
  repeats = 0;

  plan({ ids, keys, positions, place }: Plan): void {
    ids.forEach((id, n) => {
      if (this.planned.has(id)) this.repeats++;
      else this.planned.set(id, { key: keys[n] ?? '', position: BigInt(positions[n] ?? 0) });
    });
    const kept = this.places.get(place.partition);
    if (kept === undefined || BigInt(place.offset) > BigInt(kept.offset))
      this.places.set(place.partition, place);
  }
}

/** A consumer in a process of its own. */
export class ConsumerProcess extends ForkedProcess {
  readonly assigned = new Set<string>();
  readonly met: string[] = [];
  handed = 0;

  constructor(
    private readonly store: SharedStore,
    options: ConsumerProcessOptions,
  ) {
    super('consumer-process.mjs', options);
    this.child.on('message', (said: Said) => this.hear(said));
  }

  private hear({ ask, placeOf, plan, assigned, met }: Said): void {
    if (assigned !== undefined) this.assigned.add(assigned);
    if (met !== undefined) this.met.push(met);
    if (plan !== undefined) {
      this.store.plan(plan);
      this.handed += plan.ids.length;
    }
    if (ask !== undefined && this.child.connected)
      this.child.send({
        answer: ask,
        value: placeOf === undefined ? undefined : this.store.places.get(placeOf),
      });
  }
}

interface Plan {
  readonly ids: readonly string[];
  readonly keys: readonly string[];
  readonly positions: readonly string[];
  readonly place: BusPlace;
}

interface Said {
  readonly ask?: number;
  readonly placeOf?: string;
  readonly plan?: Plan;
  readonly assigned?: string;
  readonly met?: string;
}
