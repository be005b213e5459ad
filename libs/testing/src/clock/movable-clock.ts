import { renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A service's clock that a test moves while the service runs. */
export class MovableClock {
  constructor(private readonly file: string) {
    this.moveTo(0);
  }

  /** The environment that the service must be started with. */
  get env(): Record<string, string> {
    return {
      NODE_OPTIONS: `--import=${fileURLToPath(new URL('../../dist/clock/shifted-clock.js', import.meta.url))}`,
      TEST_CLOCK: this.file,
    };
  }

  /**
   * Sets the clock this many milliseconds ahead of the true time; a negative number sets it behind.
   */
  moveTo(shiftMs: number): void {
    writeFileSync(`${this.file}.new`, String(shiftMs));
    renameSync(`${this.file}.new`, this.file);
  }
}

/** In milliseconds. */
export const day = 24 * 60 * 60 * 1_000;
