/** The exit codes of commands, for scripts. `ops --help` documents them. */
export const exitCodes = {
  success: 0,
  failure: 1,
  usageError: 2,
  unreachable: 3,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The command line or the requested operation makes no sense. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The log, the read store or the service cannot be reached or used. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}
