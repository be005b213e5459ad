/// <reference types="jest" />
import { chooseServer } from './choose-server.js';
import type { Engine } from './test-server.js';

/** A `describe` for what needs a server of an engine: where none can be had it is skipped, with the reason in its name and on the terminal. */
export const describeWithServer = (engine: Engine, title: string, suite: () => void): void => {
  const choice = chooseServer(engine);
  if (choice.from !== 'nowhere') return describe(title, suite);
  process.stderr.write(`SKIPPED: ${title}: ${choice.reason}\n`);
  describe.skip(`${title} (skipped: ${choice.reason})`, suite);
};
