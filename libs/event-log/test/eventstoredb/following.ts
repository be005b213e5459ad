import { waitFor } from '@refledger/testing';
import type { EventLog } from '../../src/event-log.js';
import { follow } from '../../src/event-processor/follow.js';
import {
  ProcessorProgress,
  type ProcessorStatus,
} from '../../src/event-processor/processor-progress.js';
import { closing } from './logs.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Follows a log from its end with an event processor; closed after the current test. */
export const following = async (log: EventLog) => {
  const stop = new AbortController();
  const handled: string[] = [];
  let checkpoint = await log.head();
  const progress = new ProcessorProgress(() => undefined, Date.now);
  const ended = follow(
    {
      name: 'tester',
      log,
      logger: silent,
      progress,
      start: () => Promise.resolve(checkpoint),
      handle: ({ events, through }) => {
        handled.push(...events.map(({ id }) => id));
        checkpoint = through;
        return Promise.resolve();
      },
    },
    stop.signal,
  );
  closing.push({
    close: () => {
      stop.abort();
      return ended;
    },
  });
  return {
    handled,
    becomes: (state: ProcessorStatus['state']) => waitFor(() => progress.status().state === state),
  };
};
