import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BusPlace } from '../../src/event-bus.js';

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
    if (kept === undefined || BigInt(place.offset) > BigInt(kept.offset)) this.places.set(place.partition, place);
  }
}

/** A consumer in a process of its own. */
export class ConsumerProcess {
  readonly child: ChildProcess;
  readonly assigned = new Set<string>();
  readonly met: string[] = [];
  handed = 0;

  constructor(private readonly store: SharedStore, options: ConsumerProcessOptions) {
    this.child = fork(join(__dirname, 'consumer-process.mjs'), [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
    this.child.on('message', (said: Said) => this.hear(said));
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGCONT');
    this.child.kill(signal);
    const late = setTimeout(() => this.child.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(late);
  }

  private hear({ ask, placeOf, plan, assigned, met }: Said): void {
    if (assigned !== undefined) this.assigned.add(assigned);
    if (met !== undefined) this.met.push(met);
    if (plan !== undefined) {
      this.store.plan(plan);
      this.handed += plan.ids.length;
    }
    if (ask !== undefined && this.child.connected) this.child.send({ answer: ask, value: placeOf === undefined ? undefined : this.store.places.get(placeOf) });
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
