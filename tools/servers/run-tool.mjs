import { spawn, spawnSync } from 'node:child_process';

/** Whether a command exists on this machine and succeeds. */
export const answers = (command, ...args) =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 30_000 }).status === 0;

/**
 * How often a package manager retries. A user should not lose minutes to an unavailable registry;
 * CI cannot do without the package.
 */
export const retries = () => (process.env.CI ? 5 : 0);

/** Runs a command. Throws with the end of its output when it fails. */
export const runTool = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 10 * 60_000,
      ...options,
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (printed = (printed + text).slice(-4000)));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`${command} ${args.join(' ')} exited with ${code}:\n${printed.trim()}`)),
    );
  });
