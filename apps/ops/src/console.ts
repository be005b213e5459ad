import { once } from 'node:events';
import { onEndSignals } from '@refledger/platform';

/** Where a command writes, the environment that it reads, and the signal that ends it early. */
export interface Console {
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Writes a line of output to stdout. Resolves once stdout takes more. Rejects with the signal's
   * reason when the command is interrupted or the reader of stdout is gone.
   */
  print(line: string): Promise<void>;
  /** Writes a message for people to stderr. */
  report(line: string): void;
  /** The columns of the terminal that shows the output; undefined when stdout is not a terminal. */
  readonly width: number | undefined;
  /**
   * The terminal that shows messages, for progress bars; undefined when stderr is not a terminal.
   */
  readonly terminal: NodeJS.WriteStream | undefined;
  /**
   * Aborts with `InterruptedError` on Ctrl-C, SIGTERM and SIGHUP, and with `BrokenPipe` once the
   * reader of stdout is gone.
   */
  readonly signal: AbortSignal;
}

/** A logger that shows only warnings, as messages. */
export const warningsTo = ({ report }: Pick<Console, 'report'>) => ({
  warn: (_: object, message: string): void => report(`ops: ${message}`),
});

/** The command was ended by SIGINT, SIGTERM or SIGHUP. */
export class InterruptedError extends Error {
  override name = 'InterruptedError';
}

/** The reader of stdout has closed it (`| head`). */
export class BrokenPipe extends Error {
  override name = 'BrokenPipe';
}

/** The process's own console. A second Ctrl-C ends the process immediately. */
export const openConsole = (): Console => {
  const ending = new AbortController();
  const { signal } = ending;
  const end = (name: string): void => ending.abort(new InterruptedError(`ended by ${name}`));
  onEndSignals({ first: end, again: () => process.exit(130) });
  // A closed terminal sends several.
  process.on('SIGHUP', end);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!isClosed(error)) throw error;
    ending.abort(new BrokenPipe('the reader of the output has closed it'));
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (!isClosed(error)) throw error;
  });
  return {
    env: process.env,
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

/** The reader of a pipe is gone (EPIPE), or the terminal (EIO). */
const isClosed = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE' || code === 'EIO';
