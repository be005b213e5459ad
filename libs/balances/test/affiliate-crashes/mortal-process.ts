import type { EventLog } from '@refledger/event-log';
import type { KeyStore } from '@refledger/key-store';
import type { ReadStore } from '@refledger/read-store';
import { replacing } from '../faulty-log.js';

/** The call, from 0, at which a process ends: before it, or before its result arrives. */
export interface Death {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/**
 * Test double: a process that ends at one of its calls to logs and stores. Nothing that it calls
 * afterward is done, and it never gets another result.
 */
export class MortalProcess {
  private calls = 0;
  private readonly end = new AbortController();
  private readonly inFlight = new Set<Promise<unknown>>();

  /** Without a death it lives. */
  constructor(private readonly death?: Death) {}

  get hasDied(): boolean {
    return this.end.signal.aborted;
  }

  /** Aborts when the process dies. */
  get died(): AbortSignal {
    return this.end.signal;
  }

  log(log: EventLog): EventLog {
    return this.wrap(log, ['append', 'eventAt', 'head'], ['readStream', 'readAll', 'subscribe']);
  }

  keys(keys: KeyStore): KeyStore {
    const single = ['getMany', 'put', 'destroy', 'checkpoint', 'saveCheckpoint'] as const;
    return this.wrap(keys, single, ['scan']);
  }

  store(store: ReadStore): ReadStore {
    const single = ['builds', 'createBuild', 'goLive', 'dropBuild', 'load', 'save'] as const;
    return this.wrap(store, single, []);
  }

  /**
   * Resolves once the work has ended or the process has died, and everything that it had called
   * before is done.
   */
  async run(work: Promise<unknown>): Promise<void> {
    const died = new Promise<void>((resolve) => {
      if (this.hasDied) resolve();
      this.died.addEventListener('abort', () => resolve());
    });
    await Promise.race([work, died]);
    await Promise.allSettled(this.inFlight);
  }

  private wrap<T extends object>(
    engine: T,
    single: readonly (keyof T & string)[],
    paged: readonly (keyof T & string)[],
  ): T {
    const methodOf = (name: keyof T & string) => (engine[name] as () => never).bind(engine);
    return replacing(engine, {
      ...Object.fromEntries(
        single.map((name) => [name, (...args: []) => this.call(() => methodOf(name)(...args))]),
      ),
      ...Object.fromEntries(
        paged.map((name) => [name, (...args: []) => this.pages(() => methodOf(name)(...args))]),
      ),
    });
  }

  private async call<T>(commit: () => Promise<T>): Promise<T> {
    const isLast = this.calls++ === this.death?.at;
    if (isLast && this.death?.when === 'before') this.end.abort();
    if (this.hasDied) return never();
    const committing = commit();
    this.inFlight.add(committing);
    const result = await committing.finally(() => this.inFlight.delete(committing));
    if (isLast) this.end.abort();
    return this.hasDied ? never() : result;
  }

  private async *pages<T>(read: () => AsyncIterable<T>): AsyncGenerator<T> {
    await this.call(() => Promise.resolve());
    for await (const page of read()) {
      if (this.hasDied) await never();
      yield page;
    }
    if (this.hasDied) await never();
  }
}

const never = (): Promise<never> => new Promise(() => undefined);
