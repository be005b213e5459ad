import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A service's clock that a test moves while the service runs. */
export class MovableClock {
  private shiftMs = 0;
  private passedMs = 0;

  constructor(private readonly file: string) {
    this.write();
  }

  /** The environment that the service must be started with. */
  get env(): Record<string, string> {
    return {
      NODE_OPTIONS: `--import=${fileURLToPath(new URL('../../dist/clock/shifted-clock.js', import.meta.url))}`,
      TEST_CLOCK: this.file,
    };
  }

  /** The time of the service, in milliseconds since 1970. */
  readonly now = (): number => Date.now() + this.shiftMs + this.passedMs;

  /**
   * Sets the clock this many milliseconds ahead of the true time; a negative number sets it behind.
   * No timer notices. Resolves once every process and thread sees the new time.
   */
  async moveTo(shiftMs: number): Promise<void> {
    this.startAt(shiftMs);
    await sleep(2 * clockStaleMs);
  }

  /** Like `moveTo`, before any process goes by the clock. */
  startAt(shiftMs: number): void {
    this.shiftMs = shiftMs;
    this.write();
  }

  /**
   * Lets time pass: what waits on the webhooks' clock ends as if it had waited for so long. Resolves
   * once every process and thread sees the new time.
   */
  async pass(ms: number): Promise<void> {
    this.passedMs += ms;
    this.write();
    await sleep(2 * clockStaleMs);
  }

  private write(): void {
    writeFileSync(`${this.file}.new`, `${this.shiftMs} ${this.passedMs}`);
    renameSync(`${this.file}.new`, this.file);
  }
}

/** For how long a service may still go by the time that it has read. */
export const clockStaleMs = 5;

/** In milliseconds. */
export const day = 24 * 60 * 60 * 1_000;
