import { systemClock } from '../clock.js';
import { CommittedEvents } from './committed-events.js';
import { SimulatedEventLog } from './simulated-event-log.js';

/** A new log with all capabilities, for tests that do not simulate time. */
export const newSimulatedLog = (): SimulatedEventLog =>
  new SimulatedEventLog(newLog(1), systemClock, { versions: true, isHeadLatest: true });

/** What a new log has committed: its first event. Logs with different numbers have different ids. */
export const newLog = (number: number): CommittedEvents => {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return new CommittedEvents({ logId: id, eventId: id, recordedAt: '2026-01-01T00:00:00.000Z' });
};
