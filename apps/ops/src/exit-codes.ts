/** What a script learns from how a command ends. Documented in `ops --help`. */
export const exitCodes = {
  fine: 0,
  found: 1,
  usageError: 2,
  unreachable: 3,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The command line asks for something that makes no sense. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The log, the read store or the service can't be reached or used. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}
