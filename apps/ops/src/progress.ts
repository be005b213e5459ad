import { Presets, SingleBar } from 'cli-progress';
import type { Position } from '@refledger/contracts';
import type { Console } from './console.js';

/** Shows the progress of long work. */
export interface Progress {
  update(position: Position | number | undefined, end: Position | number | undefined): void;
  end(): void;
}

/** Parts that a long step needs to show its progress and to end early. */
export interface Work {
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Runs long work and shows its progress, counted in `unit`. */
export const shownWork = async <T>(
  console: Pick<Console, 'report' | 'terminal' | 'signal'>,
  { what, unit }: { readonly what: string; readonly unit: 'position' | 'delivery' | 'key' },
  work: (options: Work) => Promise<T>,
): Promise<T> => {
  const progress = newProgress(what, console, { unit });
  try {
    return await work({ progress, signal: console.signal });
  } finally {
    progress.end();
  }
};

/** A progress bar on a terminal, otherwise a line every two seconds. Both go to stderr. */
export const newProgress = (
  what: string,
  console: Pick<Console, 'terminal' | 'report'>,
  { now = Date.now, unit = 'position' }: ProgressOptions = {},
): Progress =>
  console.terminal === undefined
    ? linesNowAndThen(what, console, now, unit)
    : progressBar(what, console.terminal, unit);

export interface ProgressOptions {
  readonly now?: () => number;
  readonly unit?: string;
}

const progressBar = (what: string, terminal: NodeJS.WriteStream, unit: string): Progress => {
  const bar = new SingleBar(
    {
      format: `${what} {bar} {percentage}%  ${unit} {value} of {total}  {eta_formatted} to go`,
      stream: terminal,
      hideCursor: true,
      clearOnComplete: true,
      stopOnComplete: false,
    },
    Presets.shades_classic,
  );
  return {
    update(position, end) {
      // The bar may be inexact beyond 2^53: it is only a display.
      if (!bar.isActive) bar.start(Number(end ?? 0), 0);
      bar.setTotal(Number(end ?? 0));
      bar.update(Number(position ?? 0));
    },
    end: () => bar.stop(),
  };
};

const everyMs = 2_000;

const linesNowAndThen = (
  what: string,
  console: Pick<Console, 'report'>,
  now: () => number,
  unit: string,
): Progress => {
  let reportedAt = now();
  return {
    update(position, end) {
      if (now() - reportedAt < everyMs) return;
      reportedAt = now();
      console.report(`${what}: ${unit} ${position ?? 0} of ${end ?? 0}`);
    },
    end: () => undefined,
  };
};
