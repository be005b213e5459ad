import type { Clock } from './clock.js';
import type { CommittedEvents } from './event-log/committed-events.js';
import { newLog } from './event-log/new-log.js';
import { SimulatedEventLog } from './event-log/simulated-event-log.js';
import { CommittedReadModels } from './read-store/committed-read-models.js';
import { SimulatedReadStore } from './read-store/simulated-read-store.js';

/**
 * Logs and read stores by name, with the capabilities of SQLite's. One that is opened again shows
 * what was committed to it.
 */
export class SimulatedEngines {
  private readonly logs = new Map<string, CommittedEvents>();
  private readonly stores = new Map<string, CommittedReadModels>();

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
}
