import { run } from '../src/run.js';

export interface ProcessResult {
  /** Null after a signal that the process did not handle. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a command in this process, which costs a fraction of starting another one. `ended` is the
 * reason for which its signal is aborted from the start.
 */
export const runInProcess = async (
  args: readonly string[],
  {
    env = {},
    ended,
  }: { readonly env?: Readonly<Record<string, string>>; readonly ended?: Error } = {},
): Promise<ProcessResult> => {
  const printed = { out: '', err: '' };
  const code = await run(args, {
    env,
    print: (line) => Promise.resolve(void (printed.out += `${line}\n`)),
    report: (line) => void (printed.err += `${line}\n`),
    width: undefined,
    terminal: undefined,
    signal: ended === undefined ? new AbortController().signal : AbortSignal.abort(ended),
  });
  return { code, ...printed };
};
