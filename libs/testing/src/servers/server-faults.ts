import { setTimeout as sleep } from 'node:timers/promises';
import type { TestServer } from '../test-server.js';

/** Ways to disturb a server, each with its name. After each, the server is ready again. */
export const serverFaults = (
  server: () => TestServer,
  deadlineMs: number,
): [string, () => Promise<void>][] => [
  [
    'killed',
    async () => {
      await server().kill();
      await server().start();
    },
  ],
  ['restarted', () => server().restart()],
  [
    'unavailable for a while',
    async () => {
      await server().kill();
      await sleep(700);
      await server().start();
    },
  ],
  [
    'suspended past the deadline',
    async () => {
      server().pause();
      await sleep(1.5 * deadlineMs);
      server().resume();
    },
  ],
];
