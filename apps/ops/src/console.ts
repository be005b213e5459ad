import { once } from 'node:events';

/** Where a command's answers and remarks go, and what ends it early. */
export interface Console {
  /** An answer: a line on stdout. Resolves once more can be taken; rejects with the signal's reason when nobody reads any more. */
  print(line: string): Promise<void>;
  /** A remark for people, on stderr. */
  report(line: string): void;
  /** Characters of a line on the terminal that shows the answers; undefined when they go elsewhere. */
  readonly width: number | undefined;
  /** The terminal that shows remarks, for progress bars; undefined when they go elsewhere. */
  readonly terminal: NodeJS.WriteStream | undefined;
  /** Aborts on Ctrl-C and SIGTERM, with `Interrupted`, and with `BrokenPipe` once the reader of stdout is gone. */
  readonly signal: AbortSignal;
}

export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** The reader of stdout has enough (`| head`). */
export class BrokenPipe extends Error {
  override name = 'BrokenPipe';
}

/** The process's own console. A second Ctrl-C ends the process at once. */
export const openConsole = (): Console => {
  const ending = new AbortController();
  const { signal } = ending;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (signal.aborted) process.exit(130);
      ending.abort(new Interrupted(`ended by ${name}`));
    });
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    ending.abort(new BrokenPipe('nobody reads the output any more'));
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    async print(line) {
      signal.throwIfAborted();
      if (process.stdout.write(`${line}\n`)) return;
      await once(process.stdout, 'drain', { signal });
    },
    report: (line) => void process.stderr.write(`${line}\n`),
    width: process.stdout.isTTY ? process.stdout.columns : undefined,
    terminal: process.stderr.isTTY ? process.stderr : undefined,
    signal,
  };
};
