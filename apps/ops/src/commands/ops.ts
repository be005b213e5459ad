import type { Console } from '../console.js';
import type { OperatorEngines } from '../engines/engines.js';
import type { ExitCode } from '../exit-codes.js';

/** The console and the engines that a command works with. */
export interface Ops {
  readonly console: Console;
  readonly engines: OperatorEngines;
}

/** Turns a command's work into an action for commander. */
export type RunWith = <Args extends unknown[]>(
  work: (ops: Ops, ...args: Args) => Promise<ExitCode>,
) => (...args: Args) => Promise<void>;
