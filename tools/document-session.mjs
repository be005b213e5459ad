// Runs a document's session (its `<!-- session -->` blocks, in order) against a fresh service and
// compares the output with the document, except for ids and times. `node tools/document-session.mjs
// docs/getting-started.md` fails if there is a difference. With --write it writes the output into
// the document.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.mjs';
import { differences, playSession, withAnswers } from './session.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [name = 'docs/getting-started.md'] = process.argv
  .slice(2)
  .filter((argument) => argument !== '--write');
const file = join(root, name);
const document = readFileSync(file, 'utf8');

/** The programs that run the session. */
const [serviceFile, opsFile] = ['bundle/standalone.js', 'bundle/ops.js'];
const missing = [serviceFile, opsFile].filter((built) => !existsSync(join(root, built)));
if (missing.length > 0) {
  console.error(
    `The session needs the built service and command line, but ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing. Run: npm run build`,
  );
  process.exit(2);
}

/**
 * The ports in documents: the service's, that of its health and metrics, that of a webhook
 * receiver, and the two of a second service.
 */
const documented = ['3000', '9090', '4000', '3100', '9190'];

const dayMs = 86_400_000;
/** How long a session may take on a loaded machine. */
const sessionMs = 180_000;

/** The environment of the service and of the session. */
const environment = (ports) => ({
  ...process.env,
  PORT: ports.get('3000'),
  OPS_PORT: ports.get('9090'),
  OPS_URL: `http://127.0.0.1:${ports.get('9090')}`,
  LOG_LEVEL: 'error',
  // a read that waited for less would show an earlier state on a loaded machine
  CONSISTENCY_TIMEOUT: '20s',
  PAYOUT_CONSISTENCY_TIMEOUT: '30s',
});

/** A service is ready soon after it has said that it has started; on a loaded machine, later. */
const isReady = async (opsUrl) => (await fetch(`${opsUrl}/health/ready`)).ok;

const play = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'refledger-session-'));
  for (const entry of [
    'tools',
    'apps',
    'bundle',
    'package.json',
    'node_modules',
    'libs',
    'nx.json',
    'tsconfig.base.json',
  ])
    symlinkSync(join(root, entry), join(folder, entry));
  const ports = new Map();
  for (const port of documented) ports.set(port, await freePort());
  const env = environment(ports);
  const service = spawn(process.execPath, [join(root, serviceFile)], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await Promise.race([
      once(service.stdout, 'data'),
      once(service, 'exit').then(() => Promise.reject(new Error('the service did not start'))),
    ]);
    while (!(await isReady(env.OPS_URL))) await sleep(100);
    // a statement of this month lacks what was paid before the month began
    while (dayMs - (Date.now() % dayMs) < sessionMs) await sleep(1_000);
    const own = (text) =>
      text
        .replace(
          new RegExp(
            `(?<=127\\.0\\.0\\.1:|PORT=|receiver\\.mjs )(?:${documented.join('|')})\\b`,
            'g',
          ),
          (port) => ports.get(port),
        )
        .replaceAll('npm run --silent ops --', `node ${opsFile}`)
        .replaceAll('npm start', `node ${serviceFile}`);
    const asDocumented = (text) =>
      [...ports].reduce(
        (result, [port, used]) => result.replaceAll(`127.0.0.1:${used}`, `127.0.0.1:${port}`),
        text,
      );
    return playSession(document, { own, folder, env }).map(asDocumented);
  } finally {
    const ended = once(service, 'exit');
    service.kill();
    await ended;
    rmSync(folder, { recursive: true });
  }
};

const outputs = await play();
if (process.argv.includes('--write')) {
  writeFileSync(file, withAnswers(document, outputs));
} else {
  const different = differences(name, document, outputs);
  if (different.length > 0) {
    console.error(different.join('\n\n'));
    process.exitCode = 1;
  } else {
    console.log(`${outputs.length} steps match ${name}`);
  }
}
