import { stackOf } from './logged-error.js';

/** Prints why a program could not start, and exits with code 1. */
export const exitWithStartFailure = (program: string, error: unknown): never => {
  const reason = startFailure(error) ?? stackOf(error);
  process.stderr.write(`${program} could not start: ${reason}\n`);
  process.exit(1);
};

/**
 * Returns a message that names the file, directory, port or variable, for a failure that an
 * operator can fix. Returns undefined for a bug in Refledger, whose stack is worth printing.
 */
export const startFailure = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  if (selfExplanatory.has(error.name)) return error.message;
  const { code, path = '', address = '', port = '' }: SystemError = error;
  switch (code ?? '') {
    case 'EADDRINUSE':
      return `${address}:${port} is in use by another program. Set PORT or OPS_PORT to another port.`;
    case 'EADDRNOTAVAIL':
      return `this machine has no address ${address}. Correct HOST.`;
    case 'EACCES':
    case 'EPERM':
      return `${path || `${address}:${port}`} is not accessible to this user. Change its permissions, or run as another user.`;
    case 'EROFS':
      return `${path} is on a read-only file system. Set DATA_DIR to a writable directory.`;
    case 'EEXIST':
    case 'ENOTDIR':
      return `${path} is not a directory. Correct DATA_DIR.`;
    case 'ENOSPC':
      return `the disk that holds ${path || 'the data directory'} is full. Free some space, and start again.`;
    default:
      return undefined;
  }
};

/** An error from a system call. No other error has any of these fields. */
interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number | string;
}

const selfExplanatory: ReadonlySet<string> = new Set([
  'ConfigError',
  'DirectoryLocked',
  'EventLogError',
  'ReadStoreError',
  'DeliveryStoreError',
  'KeyStoreError',
  'SqliteError',
  'SecretsKeyUnusable',
  'LogMissing',
  'DirectoryMoved',
]);
