import { readFile } from 'node:fs/promises';
import { dataDirectory, embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { openReadStore, type ReadStore } from '@refledger/read-store';
import { startStandalone, type Service } from '@refledger/testing';
import { openDeliveryStore, type DeliveryStore } from '@refledger/delivery-store';
import { removeDatabase } from './copies.js';
import type { KeysOfLog } from './open-events.js';
import { verify, type Verifiable, type Verification } from './verify.js';

/**
 * The data that posting may lose: its checkpoint alone, or together with everything else in the
 * read store.
 */
export type Loss = 'checkpoint' | 'read models';

/**
 * The subject of a run: a service, and access to its log and its deliveries from outside. Another
 * engine needs one more function that returns a Subject.
 */
export interface Subject {
  readonly service: Service;
  /** Opens the log for reading, whether or not the service is running. */
  openLog(): Promise<EventLog>;
  /** What opens the personal values in the log. */
  keys(): Promise<KeysOfLog>;
  /** Whether a delivery is waiting. */
  isAnyDue(): Promise<boolean>;
  /** Makes the service lose this while posting is not running. */
  lose(loss: Loss): Promise<void>;
  /** Runs `ops verify` on a service that has ended. */
  verify(what: Verifiable): Promise<Verification>;
  /** Ends the service, so that its deliveries can be opened. */
  end(): Promise<void>;
  /** Opens the deliveries of a service that has ended. */
  openDeliveries(): Promise<DeliveryStore>;
  /** Ends everything, whatever state it is in. */
  close(): Promise<void>;
}

/** The standalone service on the directory `dataDir`. */
export const standaloneSubject = async (
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Subject> => {
  const service = await startStandalone({ dataDir, env: { ...faultSettings, ...env } });
  return {
    service,
    openLog: () => openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'read' }),
    keys: () => embeddedKeys(dataDir),
    isAnyDue: () => isAnyWaiting(service.opsUrl),
    lose: (loss) =>
      loss === 'read models'
        ? removeDatabase(dataDir, 'read-models')
        : loseCheckpoint(openReadStore(embeddedUrls.READ_STORE_URL, { dataDir, mode: 'write' })),
    // with the service's clock, which decides how long finished deliveries are kept
    verify: (what) => verify(what, { DATA_DIR: dataDir, ...env }),
    end: async () => {
      await service.restart();
      await service.kill();
    },
    openDeliveries: () => openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir }),
    close: () => service.kill(),
  };
};

/** What opens the personal values in the log of a data directory. */
export const embeddedKeys = async (dataDir: string): Promise<KeysOfLog> => ({
  url: embeddedUrls.KEY_STORE_URL,
  dataDir,
  secretsKey: await readFile(dataDirectory(dataDir).secretsKey, 'utf8'),
});

/** Whether a delivery is waiting, by the metrics of the webhook dispatcher. */
export const isAnyWaiting = async (opsUrl: string): Promise<boolean> => {
  const figures = await (await fetch(`${opsUrl}/metrics`)).text();
  return !/^refledger_webhook_deliveries\{status="waiting"\} 0$/m.test(figures);
};

/** Deletes the checkpoint of posting from a read store. */
export const loseCheckpoint = async (opening: Promise<ReadStore>): Promise<void> => {
  const store = await opening;
  try {
    for (const build of await store.builds('posting')) await store.dropBuild(build);
  } finally {
    await store.close();
  }
};

/**
 * Retries come soon, and there are so many that no delivery uses them all up. While posting is
 * stopped, a request for a payout soon gives up.
 */
export const faultSettings = {
  RATE_LIMIT_PER_MINUTE: '0',
  LOG_LEVEL: 'warn',
  PAYOUT_CONSISTENCY_TIMEOUT: '3s',
  WEBHOOK_TIMEOUT: '1s',
  WEBHOOK_RETRY_SCHEDULE: [
    '50ms',
    '100ms',
    '200ms',
    ...Array.from({ length: 47 }, () => '400ms'),
  ].join(','),
};
