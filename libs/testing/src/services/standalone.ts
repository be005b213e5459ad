import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processorsCaughtUp } from './caught-up.js';
import { RoleProcess } from './role-process.js';
import type { Service } from '../service.js';
import { scaledTimeout } from '../wait.js';

export interface StandaloneOptions {
  /** Settings besides those that the harness needs. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * An existing directory, which is kept. Without it a directory is created, and removed at the
   * end.
   */
  readonly dataDir?: string;
  /** A command that starts the service and replaces itself with it. */
  readonly through?: readonly string[];
}

export interface StandaloneService extends Service {
  readonly dataDir: string;
  readonly opsUrl: string;
  readonly pid: number | undefined;
}

/** Starts the built standalone service on free ports, and waits until it is ready. */
export const startStandalone = async ({
  env = {},
  dataDir,
  through,
}: StandaloneOptions = {}): Promise<StandaloneService> => {
  const { directory, discard } = await dataDirectory(dataDir);
  const adminKey = env['BOOTSTRAP_API_KEY'] ?? randomBytes(24).toString('hex');
  const settings = {
    DATA_DIR: directory,
    BOOTSTRAP_API_KEY: adminKey,
    CONSISTENCY_TIMEOUT: `${scaledTimeout(2_000)}ms`,
    PAYOUT_CONSISTENCY_TIMEOUT: `${scaledTimeout(10_000)}ms`,
    ...env,
  };
  const service = new RoleProcess('standalone', settings, through);
  await service.whenRunning().catch(async (error: unknown) => {
    await service.kill();
    await discard();
    throw error;
  });
  const { baseUrl, opsUrl } = service;
  return {
    baseUrl,
    opsUrl,
    adminKey,
    dataDir: directory,
    get pid() {
      return service.pid;
    },
    restart: async (signal = 'SIGTERM') => {
      await service.end(signal);
      await service.start();
    },
    kill: () => service.kill(),
    start: () => service.start(),
    signal: (signal) => service.signal(signal),
    stop: () => service.end('SIGTERM').finally(discard),
    logs: () => service.logs(),
    caughtUp: () => processorsCaughtUp({ baseUrl, adminKey }, [service]),
    // its log knows where it ends, so a read beyond the end does not wait
    impatient: () => Promise.resolve({ baseUrl }),
  };
};

interface DataDirectory {
  readonly directory: string;
  readonly discard: () => Promise<void>;
}

/** Returns the given directory, which is kept, or a new one that can be discarded. */
const dataDirectory = async (given: string | undefined): Promise<DataDirectory> => {
  if (given !== undefined) return { directory: given, discard: () => Promise.resolve() };
  const directory = await mkdtemp(join(tmpdir(), 'refledger-'));
  return { directory, discard: () => rm(directory, { recursive: true, force: true }) };
};
