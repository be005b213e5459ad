import { SingleBar } from 'cli-progress';

/** Says how far a run has come: a bar on a terminal, else plain lines. On stderr, so that stdout is the table alone. */
export interface Progress {
  /** One step is done; `next` is what follows. */
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

/** Lines that differ by a count only are said every few seconds. */
const sayEveryMs = 5_000;

const lines = (steps: number): Progress => {
  let done = 0;
  let said = 0;
  const write = (line: string): void => void process.stderr.write(`${line}\n`);
  return {
    step: (next) => {
      done++;
      if (next !== '') write(`${done}/${steps} ${next}`);
    },
    report: (line) => {
      if (Date.now() - said < sayEveryMs) return;
      said = Date.now();
      write(line);
    },
    stop: () => undefined,
  };
};
