import type { EventLog } from '../event-log.js';
import { SteppedLog } from './stepped-log.js';

/** Two writers that race each other. */
interface Race<Setting> {
  /** Prepares one race. */
  readonly setUp: () => Promise<Setting>;
  /** The writer that is paused; it appends to the log that it is given. */
  readonly paused: (on: EventLog, setting: Setting) => Promise<unknown>;
  /** The writer that runs from start to finish during the pause. */
  readonly rival: (setting: Setting) => Promise<unknown>;
  /** Checks what is true after the race. */
  readonly check: (setting: Setting) => Promise<void>;
}

/**
 * Runs the race once per append of the paused writer: pauses it before its first append in the
 * first race, before its second in the next, and so on. Returns the number of pauses.
 */
export const raceAtEveryStep = async <Setting>(
  log: EventLog,
  { setUp, paused, rival, check }: Race<Setting>,
): Promise<number> => {
  for (let pauseAt = 0; ; pauseAt++) {
    const setting = await setUp();
    const { log: stepped, steps } = SteppedLog.wrap(log);
    const run = settled(paused(stepped, setting));
    let passed = 0;
    while (passed < pauseAt && (await steps.step(run))) passed++;
    if (passed < pauseAt) return pauseAt;
    await settled(rival(setting));
    while (await steps.step(run));
    await run;
    await check(setting);
  }
};

/** `done`, or the code or message of the error with which a run failed. */
export const settled = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'done',
    (error: Error & { code?: string }) => error.code ?? error.message,
  );
