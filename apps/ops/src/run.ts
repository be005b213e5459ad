import { CommanderError } from 'commander';
import { DomainError } from '@refledger/contracts';
import { InterruptedError, BrokenPipe, type Console } from './console.js';
import { exitCodes, UsageError, type ExitCode } from './exit-codes.js';
import { newProgram } from './program.js';

/**
 * Runs one command line and resolves with the process's exit code. Errors are written to stderr as
 * messages, with a stack only with --verbose.
 */
export const run = async (args: readonly string[], console: Console): Promise<ExitCode> => {
  let code: ExitCode = exitCodes.success;
  const program = newProgram(console, (ended) => void (code = ended));
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (caught) {
    // Operations that were waiting when the signal came reject with errors of their own.
    const error: unknown = console.signal.aborted ? console.signal.reason : caught;
    if (error instanceof BrokenPipe) return exitCodes.success;
    if (error instanceof InterruptedError) return exitCodes.interrupted;
    // Commander has printed the error already.
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? exitCodes.success : exitCodes.usageError;
    console.report(
      `ops: ${inWords(error, program.opts<{ verbose?: boolean }>().verbose === true)}`,
    );
    return isUsageError(error) ? exitCodes.usageError : exitCodes.unreachable;
  }
};

const inWords = (error: unknown, verbose: boolean): string => {
  if (!(error instanceof Error)) return String(error);
  return verbose ? (error.stack ?? error.message) : error.message;
};

const isUsageError = (error: unknown): boolean =>
  error instanceof UsageError ||
  (error instanceof DomainError && error.code === 'validation_failed');
