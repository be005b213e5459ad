import { KeyStoreError } from '@refledger/key-store';
import type { Clock } from './clock.js';
import type { CommittedEvents } from './event-log/committed-events.js';
import { newLog } from './event-log/new-log.js';
import { SimulatedEventLog } from './event-log/simulated-event-log.js';
import { CommittedKeys } from './key-store/committed-keys.js';
import { SimulatedKeyStore } from './key-store/simulated-key-store.js';
import { CommittedReadModels } from './read-store/committed-read-models.js';
import { SimulatedReadStore } from './read-store/simulated-read-store.js';

/**
 * Logs, read stores and key stores by name, with the capabilities of SQLite's. One that is opened
 * again shows what was committed to it.
 */
export class SimulatedEngines {
  private readonly logs = new Map<string, CommittedEvents>();
  private readonly stores = new Map<string, CommittedReadModels>();
  private readonly keys = new Map<string, CommittedKeys>();

  constructor(private readonly clock: Clock) {}

  openLog(name: string): SimulatedEventLog {
    const committed = this.logs.get(name) ?? newLog(this.logs.size + 1);
    this.logs.set(name, committed);
    return new SimulatedEventLog(committed, this.clock, { versions: true, isHeadLatest: true });
  }

  openStore(name: string): SimulatedReadStore {
    const committed = this.stores.get(name) ?? new CommittedReadModels(this.clock);
    this.stores.set(name, committed);
    return new SimulatedReadStore(committed, this.clock, { instantScans: true, leases: false });
  }

  /** Throws a `KeyStoreError`: `absent` if there is no such store and none is to be created. */
  openKeys(
    name: string,
    { create, newId }: { readonly create: boolean; readonly newId?: string | undefined },
  ): SimulatedKeyStore {
    const existing = this.keys.get(name);
    if (existing === undefined && !create)
      throw new KeyStoreError('absent', `${name}: there is no key store here yet`);
    const committed = existing ?? new CommittedKeys(newId ?? `${name}, ${this.keys.size + 1}`);
    this.keys.set(name, committed);
    return new SimulatedKeyStore(committed, this.clock);
  }
}
