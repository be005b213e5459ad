import type { Console } from '../console.js';
import type { OperatorEngines } from '../engines/engines.js';
import type { ExitCode } from '../exit-codes.js';

/** What a command works with. */
export interface Ops {
  readonly console: Console;
  readonly engines: OperatorEngines;
}

/** Makes an action for commander of what a command does. */
export type RunWith = <Args extends unknown[]>(
  work: (ops: Ops, ...args: Args) => Promise<ExitCode>,
) => (...args: Args) => Promise<void>;
