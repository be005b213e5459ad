import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess, type ServerCommand } from './server-process.js';
import type { TestServer } from '../test-server.js';

/** A server that runs as a process on a data directory. */
export interface InstalledServer extends Pick<
  TestServer,
  'engine' | 'product' | 'version' | 'from'
> {
  /** A function for a server that chooses its port when it first starts. */
  readonly url: string | (() => string);
  /** Prepares an empty data directory, and returns how to run the server on it. */
  readonly command: (dataDirectory: string) => Promise<ServerCommand>;
}

/** Runs a server as a process, with its data in a temporary directory. */
export const startInstalled = async ({
  command,
  url,
  ...about
}: InstalledServer): Promise<TestServer> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'refledger-server-'));
  const remove = (): Promise<void> =>
    rm(dataDirectory, { recursive: true, force: true, maxRetries: 3 });
  try {
    const server = new ServerProcess(await command(dataDirectory));
    await server.start();
    return {
      ...about,
      url: typeof url === 'string' ? url : url(),
      restart: async () => {
        await server.end('cleanly');
        await server.start();
      },
      kill: () => server.end('SIGKILL'),
      start: () => server.start(),
      pause: () => server.signal('SIGSTOP'),
      resume: () => server.signal('SIGCONT'),
      stop: async () => {
        await server.end('SIGKILL');
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
};
