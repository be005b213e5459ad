import { SingleBar } from 'cli-progress';

/**
 * Shows the progress of a run: a bar on a terminal, otherwise plain lines. It goes to stderr, so
 * that stdout has only the table.
 */
export interface Progress {
  /** One step is done; `next` follows. */
  step(next: string): void;
  report(line: string): void;
  stop(): void;
}

export const newProgress = (steps: number): Progress =>
  process.stderr.isTTY ? bar(steps) : lines(steps);

const bar = (steps: number): Progress => {
  const shown = new SingleBar({
    format: '{bar} {value}/{total} {duration_formatted} {what}',
    stream: process.stderr,
    hideCursor: true,
    barsize: 24,
    fps: 4,
    forceRedraw: true,
  });
  shown.start(steps, 0, { what: '' });
  return {
    step: (next) => shown.increment(1, { what: next }),
    report: (line) => shown.update({ what: line }),
    stop: () => shown.stop(),
  };
};

/** Lines that differ only by a count are written at most this often. */
const reportEveryMs = 5_000;

const lines = (steps: number): Progress => {
  let done = 0;
  let reported = 0;
  const write = (line: string): void => void process.stderr.write(`${line}\n`);
  return {
    step: (next) => {
      done++;
      if (next !== '') write(`${done}/${steps} ${next}`);
    },
    report: (line) => {
      if (Date.now() - reported < reportEveryMs) return;
      reported = Date.now();
      write(line);
    },
    stop: () => undefined,
  };
};
