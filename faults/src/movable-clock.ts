import { renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A clock of a service that a test moves while it runs. */
export class MovableClock {
  constructor(private readonly file: string) {
    this.moveTo(0);
  }

  /** What the service must be started with. */
  get env(): Record<string, string> {
    return {
      NODE_OPTIONS: `--import=${fileURLToPath(new URL('../dist/preloads/shifted-clock.js', import.meta.url))}`,
      FAULTS_CLOCK: this.file,
    };
  }

  /** So many milliseconds ahead of the true time; below 0: behind. */
  moveTo(shiftMs: number): void {
    writeFileSync(`${this.file}.new`, String(shiftMs));
    renameSync(`${this.file}.new`, this.file);
  }
}

export const day = 24 * 60 * 60 * 1_000;
