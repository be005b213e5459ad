import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from '../servers/run-tool.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Files that must never reach a build: secrets, data, and files built or installed elsewhere. */
const decoys = [
  '.env',
  'apps/gateway/.env',
  '.data/events.db',
  'apps/standalone/.data/api-key',
  'node_modules/x/index.js',
  'apps/gateway/node_modules/x/index.js',
  'apps/gateway/dist/main.js',
  'bundle/gateway.js',
  'libs/projections/dist/index.js',
  'libs/projections/dist/.tsbuildinfo',
  'deploy/kubernetes/overlays/own/secrets.env',
  'notes.txt',
];

/**
 * Checks .dockerignore: a build gets a copy of the tracked files with decoys among them. It must
 * see every file that it needs, and no decoy or test. Resolves to the number of files that it sees.
 */
export const checkContext = async (env) => {
  const folder = mkdtempSync(join(tmpdir(), 'refledger-context-'));
  const image = 'refledger-test/context';
  try {
    await runTool(
      'bash',
      [
        '-c',
        `set -o pipefail; git ls-files -z | tar --ignore-failed-read --null -T - -c | tar -x -C '${folder}'`,
      ],
      { cwd: root },
    );
    for (const file of decoys) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), 'decoy');
    }
    writeFileSync(
      join(folder, 'Context.Dockerfile'),
      'FROM scratch\nCOPY . /context\nCMD ["none"]\n',
    );
    await runTool('docker', ['build', '-t', image, '-f', 'Context.Dockerfile', '.'], {
      cwd: folder,
      env,
    });
    const { stdout } = spawnSync(
      'bash',
      [
        '-c',
        `set -o pipefail; id=$(docker create ${image}) && docker export "$id" | tar -t; docker rm "$id" > /dev/null`,
      ],
      { env, encoding: 'utf8', maxBuffer: 2 ** 26 },
    );
    const seen = stdout
      .split('\n')
      .filter((line) => line.startsWith('context/') && !line.endsWith('/'))
      .map((line) => line.slice('context/'.length));
    const wrong = seen.filter(
      (file) => decoys.includes(file) || /\.spec\.ts$|(^|\/)test\//.test(file),
    );
    const lacking = [
      'package-lock.json',
      'tsconfig.base.json',
      'deploy/runtime-files.mjs',
      'apps/gateway/src/index.ts',
      'libs/projections/package.json',
      'bench/src/main.ts',
    ].filter((file) => !seen.includes(file));
    if (wrong.length > 0 || lacking.length > 0)
      throw new Error(
        `.dockerignore wrongly includes ${wrong.join(', ') || 'nothing'}, and wrongly excludes ${lacking.join(', ') || 'nothing'}`,
      );
    return seen.length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    spawnSync('docker', ['image', 'rm', image], { env, stdio: 'ignore' });
  }
};
