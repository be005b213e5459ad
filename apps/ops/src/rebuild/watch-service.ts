import type { Position } from '@refledger/contracts';
import type { Console } from '../console.js';
import type { OperatorEngines } from '../engines/engines.js';
import { Unreachable } from '../exit-codes.js';

const lookEveryMs = 1_000;
const patienceMs = 10_000;

/**
 * Returns a watch that throws once the service has ended: the next start of the service continues
 * the rebuild. It reports once when there has been no progress for 10 s.
 */
export const watchService = (
  engines: Pick<OperatorEngines, 'isServed'>,
  console: Pick<Console, 'report'>,
  now: () => number = Date.now,
): ((position: Position | undefined) => void) => {
  let looked = now();
  let moved = { at: now(), to: undefined as Position | undefined };
  let said = false;
  return (position) => {
    if (position !== moved.to) moved = { at: now(), to: position };
    if (!said && now() - moved.at >= patienceMs) {
      said = true;
      console.report(
        'nothing has moved for 10 s: has the projector stopped? The log of the service and /health/ready say. Ctrl-C ends only the waiting',
      );
    }
    if (now() - looked < lookEveryMs) return;
    looked = now();
    if (!engines.isServed())
      throw new Unreachable('the service has ended; its next start goes on with the rebuild');
  };
};
