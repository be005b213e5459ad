import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { startStandalone, type Service } from '@refledger/testing';
import { openDeliveryStore, type DeliveryStore } from '@refledger/webhooks';

/**
 * The subject of a run: a service, and access to its log and its deliveries from outside. Another
 * engine needs one more function that returns a Subject.
 */
export interface Subject {
  readonly service: Service;
  /** Opens the log for reading, whether or not the service runs. */
  openLog(): Promise<EventLog>;
  /** Opens the deliveries of a service that has ended. */
  openDeliveries(): Promise<DeliveryStore>;
}

/** The standalone service on the folder `dataDir`. */
export const standaloneSubject = async (
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Subject> => ({
  service: await startStandalone({ dataDir, env: { ...faultSettings, ...env } }),
  openLog: () => openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: dataDir, mode: 'read' }),
  openDeliveries: () => openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir: dataDir }),
});

/** Retries come soon, and there are so many that no delivery uses them all up. */
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
