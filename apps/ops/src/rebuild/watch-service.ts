import type { Position } from '@refledger/contracts';
import type { Console } from '../console.js';
import type { OperatorEngines } from '../engines/engines.js';
import { Unreachable } from '../exit-codes.js';

const pollIntervalMs = 1_000;
const timeoutMs = 10_000;

/**
 * Returns a watch that throws once the service has stopped: the next start of the service continues
 * the rebuild. It reports once when there has been no progress for 10 s.
 */
export const watchService = (
  engines: Pick<OperatorEngines, 'isServiceRunning'>,
  console: Pick<Console, 'report'>,
  now: () => number = Date.now,
): ((position: Position | undefined) => void) => {
  let polledAt = now();
  let moved: { readonly at: number; readonly to?: Position | undefined } = { at: now() };
  let isReported = false;
  return (position) => {
    if (position !== moved.to) moved = { at: now(), to: position };
    if (!isReported && now() - moved.at >= timeoutMs) {
      isReported = true;
      console.report(
        'no progress for 10 s. Check the log of the service and /health/ready for a stopped projector; Ctrl-C only stops the wait',
      );
    }
    if (now() - polledAt < pollIntervalMs) return;
    polledAt = now();
    if (!engines.isServiceRunning())
      throw new Unreachable('the service has stopped. Start it again to continue the rebuild.');
  };
};
