/**
 * Returns a message about a failure that an operator can fix, which names the file, folder, port or
 * variable. Returns undefined for a bug of Refledger, whose stack is worth printing.
 */
export const startFailure = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  if (saidWell.has(error.name)) return error.message;
  const {
    code,
    path = '',
    address = '',
    port = '',
  } = error as NodeJS.ErrnoException & { readonly address?: string; readonly port?: number };
  switch (code ?? '') {
    case 'EADDRINUSE':
      return `${address}:${port} is in use by another program: choose another PORT or OPS_PORT`;
    case 'EADDRNOTAVAIL':
      return `this machine has no address ${address}: mend HOST`;
    case 'EACCES':
    case 'EPERM':
      return `${path || `${address}:${port}`} may not be used by this user`;
    case 'EROFS':
      return `${path} is on a read-only file system`;
    case 'EEXIST':
    case 'ENOTDIR':
      return `${path} is not a folder: mend DATA_DIR`;
    case 'ENOSPC':
      return `the disk of ${path || 'the data folder'} is full`;
    default:
      return undefined;
  }
};

const saidWell: ReadonlySet<string> = new Set([
  'ConfigError',
  'FolderLocked',
  'EventLogError',
  'ReadStoreError',
  'DeliveryStoreError',
  'SqliteError',
  'SecretsKeyUnusable',
  'LogMissing',
  'FolderMoved',
]);
