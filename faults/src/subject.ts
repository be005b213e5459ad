import { join } from 'node:path';
import type { EventLog } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { startStandalone, type Service } from '@refledger/testing';
import type { DeliveryStore } from '@refledger/webhooks';
import { openSqliteDeliveryStore } from '@refledger/webhooks/sqlite';

/** What is put to the test: a service, and a way to look into its log and its deliveries from outside. Another engine's is one more function of this shape. */
export interface Subject {
  readonly service: Service;
  /** Reads the log, while the service runs or not. */
  openLog(): Promise<EventLog>;
  /** Looks into the deliveries of a service that has ended. */
  openDeliveries(): Promise<DeliveryStore>;
}

/** The standalone service in a folder of its own. */
export const standaloneSubject = async (
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Subject> => ({
  service: await startStandalone({ dataDir, env: { ...faultSettings, ...env } }),
  openLog: () => openSqliteEventLog({ file: join(dataDir, 'events.db'), mode: 'read' }),
  openDeliveries: () => openSqliteDeliveryStore({ file: join(dataDir, 'deliveries.db') }),
});

/** Retries come soon, and there are so many that none is used up. */
const faultSettings = {
  RATE_LIMIT_PER_MINUTE: '0',
  LOG_LEVEL: 'warn',
  WEBHOOK_TIMEOUT: '1s',
  WEBHOOK_RETRY_SCHEDULE: [
    '50ms',
    '100ms',
    '200ms',
    ...Array.from({ length: 47 }, () => '400ms'),
  ].join(','),
};
