import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ops = fileURLToPath(new URL('../../bundle/ops.js', import.meta.url));

/** Decides, as an operator, that the dispatcher of a directory continues from the log's head. */
export const resumeDispatcher = (dataDir: string): Promise<unknown> =>
  promisify(execFile)(process.execPath, [
    ops,
    '--data-dir',
    dataDir,
    'resume',
    'webhook-dispatcher',
    '--from',
    'head',
  ]);
