import { Projector, type ProjectorOptions } from '@refledger/projections';
import { Unreachable } from '../exit-codes.js';

/**
 * Runs the projector in place of the service until it is ended. Passes its warnings and errors to
 * `report`.
 */
export const project = (
  { log, store, projections }: Pick<ProjectorOptions, 'log' | 'store' | 'projections'>,
  report: (line: string) => void,
) => {
  const ending = new AbortController();
  const logger = {
    info: () => undefined,
    warn: (_: object, message: string) => report(message),
    error: (_: object, message: string) => report(message),
  };
  const projector = new Projector({ log, store, projections, logger });
  const ended = projector.run((batch) => batch.apply(), ending.signal);
  return {
    /** Throws if the projector has stopped at an event that it cannot get past. */
    watch: () => {
      const { state, error } = projector.status();
      if (state === 'stopped')
        throw new Unreachable(`the projector has stopped: ${error ?? 'unknown reason'}`);
    },
    /** Stops the projector. Resolves once the current batch is finished. */
    end: () => {
      ending.abort();
      return ended;
    },
  };
};
