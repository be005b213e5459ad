import type { EventEmitter } from 'node:events';

/** How soon after the first signal another one is part of the same Ctrl-C. */
const sameCtrlCMs = 1_000;

interface EndSignals {
  /** Called with the name of the first signal. */
  readonly first: (signal: string) => void;
  /** Called with each later one. */
  readonly again: () => void;
}

/**
 * Handles SIGTERM and SIGINT. A signal within a second after the first is ignored: Ctrl-C reaches a
 * program that npm runs twice, from the terminal and from npm, which passes its own signals on.
 */
export const onEndSignals = (
  { first, again }: EndSignals,
  source: Pick<EventEmitter, 'on'> = process,
  now: () => number = () => performance.now(),
): void => {
  let firstAt: number | undefined;
  const end = (signal: string): void => {
    if (firstAt === undefined) {
      firstAt = now();
      first(signal);
    } else if (now() - firstAt > sameCtrlCMs) again();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) source.on(signal, end);
};
