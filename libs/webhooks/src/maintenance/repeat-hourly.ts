import type { Clock } from '@refledger/webhook-endpoints';

export interface RepeatHourlyOptions {
  readonly clock: Clock;
  /** Does the work. It ends early once `isEnded` returns true. */
  readonly work: (isEnded: () => boolean) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Does some work at once, and then again an hour after each run ends. Returns a function that stops
 * it.
 */
export const repeatHourly = ({ clock, work, onFailure }: RepeatHourlyOptions): (() => void) => {
  let ended = false;
  let clearTimer = (): void => undefined;
  const turn = (): void => {
    void work(() => ended)
      .catch(onFailure)
      .then(() => {
        if (!ended) clearTimer = clock.after(hourMs, turn);
      });
  };
  turn();
  return () => {
    ended = true;
    clearTimer();
  };
};

export const hourMs = 3_600_000;
