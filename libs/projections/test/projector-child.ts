import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { embeddedUrls } from '@refledger/engines';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { waitFor } from '@refledger/testing';
import type { OnSqlite } from './on-sqlite.js';

const program = fileURLToPath(new URL('projector.child.mjs', import.meta.url));

/** A projector in a separate process, on a file or on the URL of a MongoDB. */
export interface ProjectorChild {
  /** Resolves once the process has printed this line, after the lines awaited before. */
  reported(text: string): Promise<void>;
  /** Resolves once the process has saved more events of the log into `conversions`. */
  saves(store: ReadStore, log: EventLog): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
}

export const startProjectorChild = (
  embedded: OnSqlite,
  readStoreUrl: string = embeddedUrls.READ_STORE_URL,
): ProjectorChild => {
  const running = spawn(process.execPath, [program, embedded.directory, readStoreUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(running, 'exit');
  const lines: string[] = [];
  createInterface({ input: running.stdout }).on('line', (line) => lines.push(line));
  return {
    reported: async (text) => {
      await waitFor(() => lines.includes(text), { timeoutMs: 60_000 });
      lines.splice(0, lines.indexOf(text) + 1);
    },
    saves: async (store, log) => {
      const [before] = await store.builds('conversions');
      await waitFor(
        async () =>
          (await log.head()) !== before?.checkpoint?.position &&
          (await store.builds('conversions'))[0]?.checkpoint?.position !==
            before?.checkpoint?.position,
        { timeoutMs: 60_000 },
      );
    },
    signal: (signal) => void running.kill(signal),
    kill: async () => {
      running.kill('SIGCONT');
      running.kill('SIGKILL');
      await exited;
    },
  };
};
