import { join } from 'node:path';
import { answers, retries, runTool } from './run-tool.mjs';

/** Whether there is a Python 3 of at least this minor version with its venv module. */
export const hasPython = (minor = 0) => {
  const program = `import sys, venv, ensurepip; sys.exit(sys.version_info < (3, ${minor}))`;
  return answers('python3', '-c', program);
};

/** Makes a virtual environment in this folder and installs these packages into it. */
export const installFromPypi = async (folder, ...packages) => {
  await runTool('python3', ['-m', 'venv', folder]);
  const retryOptions = ['--retries', String(retries()), '--timeout', '10'];
  const options = ['--quiet', '--disable-pip-version-check', ...retryOptions];
  await runTool(join(folder, 'bin/python'), ['-m', 'pip', 'install', ...options, ...packages]);
};
