import type { Engines } from '../engines/engines.js';
import { Unreachable } from '../exit-codes.js';

const everyMs = 1_000;

/** Throws once the service is gone: then the next start goes on with what was asked of it. */
export const watchService = (engines: Pick<Engines, 'isServed'>, now: () => number = Date.now): (() => void) => {
  let looked = now();
  return () => {
    if (now() - looked < everyMs) return;
    looked = now();
    if (!engines.isServed()) throw new Unreachable('the service has ended; its next start goes on with the rebuild');
  };
};
