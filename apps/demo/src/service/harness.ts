import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStandalone } from '@refledger/testing';
import { openReceiver, type Arrival } from './receiver.js';
import { Shop } from './shop.js';

/**
 * The service as a process on an empty directory, the shop's webhook receiver, and the shop's
 * client for the service.
 */
export type Harness = Awaited<ReturnType<typeof openHarness>>;

export interface HarnessOptions {
  readonly tamper: boolean;
  readonly onArrival: (arrival: Arrival) => void;
  readonly signal: AbortSignal;
}

/** Starts a service on an empty directory, with the shop's receiver beside it. */
export const openHarness = async ({ tamper, onArrival, signal }: HarnessOptions) => {
  const directory = await mkdtemp(join(tmpdir(), 'refledger-demo-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  const receiver = await openReceiver(tamper, onArrival);
  const service = await startStandalone({
    dataDir: directory,
    env: { LOG_LEVEL: 'error', WEBHOOK_RETRY_SCHEDULE: '1s,1s,2s,5s,10s,10s' },
  }).catch(async (error: unknown) => {
    await receiver.close();
    await remove();
    throw error;
  });
  const shop = new Shop(service.baseUrl, service.adminKey, signal);
  let restarting: Promise<void> = Promise.resolve();
  return {
    shop,
    receiver,
    /** Kills the service as a power cut would, and starts it again on the same directory. */
    killAndRestart: () => (restarting = service.restart('SIGKILL')),
    /** Ends every process and removes the directory, whatever is in progress. */
    close: async () => {
      // Kill twice: first a process that is starting, for which `restarting` would wait, then one
      // that has just started.
      await service.kill();
      await Promise.allSettled([restarting, shop.close()]);
      await service.kill();
      await receiver.close();
      await remove();
    },
  };
};
