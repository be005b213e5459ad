import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.js';
import { processorsCaughtUp } from './caught-up.js';
import type { EndSignal, Service } from './service.js';
import { ServiceProcess } from './service-process.js';
import { scaledTimeout } from '../wait.js';

export interface StandaloneOptions {
  /** Settings besides those that the harness needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** An existing folder, which is kept. Without it a folder is created, and removed at the end. */
  readonly dataDir?: string;
  /** A command that starts the service and replaces itself with it. */
  readonly through?: readonly string[];
}

export interface StandaloneService extends Service {
  readonly dataDir: string;
  readonly opsUrl: string;
  readonly pid: number | undefined;
}

/** Starts the built standalone service on free ports, and waits until it names its address. */
export const startStandalone = async ({
  env = {},
  dataDir,
  through = [],
}: StandaloneOptions = {}): Promise<StandaloneService> => {
  const { folder, discard } = await dataFolder(dataDir);
  const adminKey = env['BOOTSTRAP_API_KEY'] ?? randomBytes(24).toString('hex');
  const opsUrl = `http://127.0.0.1:${await freePort()}`;
  const settings = {
    HOST: '127.0.0.1',
    PORT: '0',
    OPS_PORT: new URL(opsUrl).port,
    DATA_DIR: folder,
    BOOTSTRAP_API_KEY: adminKey,
    CONSISTENCY_TIMEOUT: `${scaledTimeout(2_000)}ms`,
    ...env,
  };
  const earlier: string[] = [];

  let running = new ServiceProcess('standalone', settings, through);
  const baseUrl = await running.address(opsUrl).catch(async (error: unknown) => {
    await running.end('SIGKILL');
    await discard();
    throw error;
  });

  const start = async (): Promise<void> => {
    earlier.push(running.printed);
    running = new ServiceProcess(
      'standalone',
      { ...settings, PORT: new URL(baseUrl).port },
      through,
    );
    await running.address(opsUrl);
  };

  return {
    baseUrl,
    opsUrl,
    adminKey,
    dataDir: folder,
    get pid() {
      return running.pid;
    },
    restart: async (signal = 'SIGTERM') => {
      await end(running, signal);
      await start();
    },
    kill: () => end(running, 'SIGKILL'),
    start,
    signal: (signal) => running.signal(signal),
    stop: () => end(running, 'SIGTERM').finally(discard),
    logs: () => [...earlier, running.printed].join(''),
    caughtUp: () => processorsCaughtUp({ baseUrl, adminKey }, [{ role: 'standalone', opsUrl }]),
    // its log knows where it ends, so a read beyond the end does not wait
    impatient: () => Promise.resolve({ baseUrl }),
  };
};

interface DataFolder {
  readonly folder: string;
  readonly discard: () => Promise<void>;
}

/** Returns the given folder, which is kept, or a new one that can be discarded. */
const dataFolder = async (given: string | undefined): Promise<DataFolder> => {
  if (given !== undefined) return { folder: given, discard: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), 'refledger-'));
  return { folder, discard: () => rm(folder, { recursive: true, force: true }) };
};

const end = async (running: ServiceProcess, signal: EndSignal): Promise<void> => {
  const code = await running.end(signal);
  if (signal === 'SIGTERM' && code !== 0)
    throw new Error(
      `the service ended with ${code} on SIGTERM; it printed:\n${running.printed.slice(-4_000)}`,
    );
};
