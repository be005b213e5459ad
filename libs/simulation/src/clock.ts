import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Decides what runs next. */
export interface Clock {
  /** Resolves once other work that is ready has had its turn. */
  turn(): Promise<void>;
}

/** The clock of the machine, for tests that do not simulate time. */
export const systemClock: Clock = {
  turn: () => yieldToEventLoop(),
};
