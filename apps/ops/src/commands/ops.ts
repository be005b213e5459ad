import type { Console } from '../console.js';
import type { Engines } from '../engines/engines.js';
import type { ExitCode } from '../exit-codes.js';

/** What a command works with. */
export interface Ops {
  readonly console: Console;
  readonly engines: Engines;
}

/** Makes an action for commander of what a command does. */
export type RunWith = <Args extends unknown[]>(work: (ops: Ops, ...args: Args) => Promise<ExitCode>) => (...args: Args) => Promise<void>;
