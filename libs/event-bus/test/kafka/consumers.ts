import type { Offset } from '../../src/event-bus.js';
import { ForkedProcess } from './forked-process.js';

export interface ConsumerProcessOptions {
  readonly file: string;
  readonly brokers: readonly string[];
  readonly prefix: string;
  readonly session: { readonly sessionTimeout: number; readonly heartbeatInterval: number };
}

/**
 * The part of a delivery store that concerns the bus: offsets that only rise, and deliveries
 * planned once.
 */
export class SharedStore {
  readonly offsets = new Map<string, Offset>();
  readonly planned = new Map<string, { readonly key: string; readonly position: bigint }>();
  /** How many deliveries were planned again, which changes nothing. */
  repeats = 0;

  plan({ ids, keys, positions, offset }: Plan): void {
    ids.forEach((id, n) => {
      if (this.planned.has(id)) this.repeats++;
      else this.planned.set(id, { key: keys[n] ?? '', position: BigInt(positions[n] ?? 0) });
    });
    const kept = this.offsets.get(offset.partition);
    if (kept === undefined || BigInt(offset.offset) > BigInt(kept.offset))
      this.offsets.set(offset.partition, offset);
  }
}

/** A consumer in a separate process. */
export class ConsumerProcess extends ForkedProcess {
  readonly assigned = new Set<string>();
  readonly met: string[] = [];
  handed = 0;

  constructor(
    private readonly store: SharedStore,
    options: ConsumerProcessOptions,
  ) {
    super('consumer-process.mjs', options);
    this.child.on('message', (reported: ChildMessage) => this.onMessage(reported));
  }

  private onMessage({ ask, offsetOf, plan, assigned, met }: ChildMessage): void {
    if (assigned !== undefined) this.assigned.add(assigned);
    if (met !== undefined) this.met.push(met);
    if (plan !== undefined) {
      this.store.plan(plan);
      this.handed += plan.ids.length;
    }
    if (ask !== undefined && this.child.connected)
      this.child.send({
        answer: ask,
        value: offsetOf === undefined ? undefined : this.store.offsets.get(offsetOf),
      });
  }
}

interface Plan {
  readonly ids: readonly string[];
  readonly keys: readonly string[];
  readonly positions: readonly string[];
  readonly offset: Offset;
}

interface ChildMessage {
  readonly ask?: number;
  readonly offsetOf?: string;
  readonly plan?: Plan;
  readonly assigned?: string;
  readonly met?: string;
}
