// Plays the session of a document, all its `<!-- session -->` blocks in order, against a fresh service, and compares what comes out with what the document says, ids and times aside.
// `node tools/document-session.mjs README.md` compares and fails at a difference; with --write it puts what came out into the document.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [name = 'README.md'] = process.argv.slice(2).filter((argument) => argument !== '--write');
const file = join(root, name);
const document = readFileSync(file, 'utf8');
const between = '@@ next step @@';

/** The ports that documents name: the service's, its health and metrics, a receiver of webhooks, and those of a second service. */
const documented = ['3000', '9090', '4000', '3100', '9190'];

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(port);
};

/** Everything that differs from run to run, made alike. */
const alike = (text) =>
  text
    .replace(/\b(aff|conv|whk|evt|acct|key|dlv)_[0-9a-z]{26}\b/g, '$1_…')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/(position\W+)\d+/g, '$1N')
    .replace(/(lag_seconds\S* )[\d.e-]+/g, '$1N')
    .replace(/ +$/gm, '')
    .trim();

const play = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'refledger-session-'));
  for (const entry of ['tools', 'apps', 'package.json', 'node_modules', 'libs', 'nx.json', 'tsconfig.base.json']) symlinkSync(join(root, entry), join(folder, entry));
  const ports = new Map();
  for (const port of documented) ports.set(port, await freePort());
  const env = { ...process.env, PORT: ports.get('3000'), OPS_PORT: ports.get('9090'), LOG_LEVEL: 'error' };
  const service = spawn(process.execPath, [join(root, 'apps/standalone/dist/main.js')], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await Promise.race([once(service.stdout, 'data'), once(service, 'exit').then(() => Promise.reject(new Error('the service did not start')))]);
    const own = (text) =>
      text
        .replace(new RegExp(`(?<=127\\.0\\.0\\.1:|PORT=|receiver\\.mjs )(?:${documented.join('|')})\\b`, 'g'), (port) => ports.get(port))
        .replaceAll('npm run --silent ops --', 'node apps/ops/dist/main.js')
        .replaceAll('npm start', 'node apps/standalone/dist/main.js');
    const blocks = [...document.matchAll(/<!-- session -->\n```sh\n([^]*?)```/g)].map(([, block]) => own(block));
    const script = ["trap 'kill $(jobs -p) 2> /dev/null' EXIT\n", blocks.join(`\necho '${between}'\n`)].join('');
    const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8', env, timeout: 240_000 });
    if (status !== 0) throw new Error(`the session failed: ${stderr}${stdout}`);
    const asDocumented = [...ports].reduce((text, [port, used]) => text.replaceAll(`127.0.0.1:${used}`, `127.0.0.1:${port}`), stdout);
    return asDocumented.split(`${between}\n`).map((step) => step.trimEnd());
  } finally {
    const ended = once(service, 'exit');
    service.kill();
    await ended;
    rmSync(folder, { recursive: true });
  }
};

const outputs = await play();
const steps = document.split('<!-- session -->').slice(1);
const answers = /<!-- answer -->\n(?:```\n([^]*?)```\n)?/;
if (process.argv.includes('--write')) {
  const [head] = document.split('<!-- session -->');
  writeFileSync(file, [head, ...steps.map((step, index) => step.replace(answers, () => `<!-- answer -->\n\`\`\`\n${outputs[index]}\n\`\`\`\n`))].join('<!-- session -->'));
} else {
  const different = steps.flatMap((step, index) => {
    const said = answers.exec(step)?.[1] ?? '';
    return alike(said) === alike(outputs[index]) ? [] : [`step ${index + 1}: ${name} says\n${said}\nbut what comes out is\n${outputs[index]}`];
  });
  if (different.length > 0) {
    console.error(different.join('\n\n'));
    process.exitCode = 1;
  } else {
    console.log(`${steps.length} steps, as ${name} says`);
  }
}
