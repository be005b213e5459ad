import { eventLogConformance } from '@refledger/event-log/conformance';
import { systemClock } from '../clock.js';
import { newLog } from './new-log.js';
import { SimulatedEventLog, type LogCapabilities } from './simulated-event-log.js';

const conformance = (name: string, capabilities: LogCapabilities): void =>
  eventLogConformance(name, () => {
    const committed = newLog(1);
    return Promise.resolve({
      open: () => Promise.resolve(new SimulatedEventLog(committed, systemClock, capabilities)),
      remove: () => Promise.resolve(),
    });
  });

conformance('a simulated log', { versions: true, isHeadLatest: true });
conformance('a simulated log without capabilities', { versions: false, isHeadLatest: false });
