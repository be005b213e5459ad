// Plays the README's first session against a fresh service and compares what comes out with what the README says, ids and times aside.
// `node tools/readme-session.mjs` compares and fails at a difference; with --write it puts what came out into the README.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const readmeFile = join(root, 'README.md');
const readme = readFileSync(readmeFile, 'utf8');
const between = '@@ next step @@';

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
    .replace(/ +$/gm, '')
    .trim();

const play = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'refledger-readme-'));
  for (const name of ['tools', 'apps', 'package.json', 'node_modules', 'libs', 'nx.json', 'tsconfig.base.json']) symlinkSync(join(root, name), join(folder, name));
  const [port, hookPort] = [await freePort(), await freePort()];
  const service = spawn(process.execPath, [join(root, 'apps/standalone/dist/main.js')], { cwd: folder, env: { ...process.env, PORT: port, LOG_LEVEL: 'error' }, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await Promise.race([once(service.stdout, 'data'), once(service, 'exit').then(() => Promise.reject(new Error('the service did not start')))]);
    const own = (text) => text.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`).replaceAll('4000', hookPort).replace('npm run --silent ops --', 'node apps/ops/dist/main.js');
    const script = [...readme.matchAll(/<!-- session -->\n```sh\n([^]*?)```/g)].map(([, block]) => own(block)).join(`\necho '${between}'\n`);
    const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8', timeout: 60_000 });
    if (status !== 0) throw new Error(`the session failed: ${stderr}${stdout}`);
    return stdout.replaceAll(`127.0.0.1:${port}`, '127.0.0.1:3000').replaceAll(hookPort, '4000').split(`${between}\n`).map((step) => step.trimEnd());
  } finally {
    const ended = once(service, 'exit');
    service.kill();
    await ended;
    rmSync(folder, { recursive: true });
  }
};

const outputs = await play();
const steps = readme.split('<!-- session -->').slice(1);
const answers = /<!-- answer -->\n(?:```\n([^]*?)```\n)?/;
if (process.argv.includes('--write')) {
  const [head] = readme.split('<!-- session -->');
  writeFileSync(readmeFile, [head, ...steps.map((step, index) => step.replace(answers, () => `<!-- answer -->\n\`\`\`\n${outputs[index]}\n\`\`\`\n`))].join('<!-- session -->'));
} else {
  const different = steps.flatMap((step, index) => {
    const said = answers.exec(step)?.[1] ?? '';
    return alike(said) === alike(outputs[index]) ? [] : [`step ${index + 1}: the README says\n${said}\nbut what comes out is\n${outputs[index]}`];
  });
  if (different.length > 0) {
    console.error(different.join('\n\n'));
    process.exitCode = 1;
  } else {
    console.log(`${steps.length} steps, as the README says`);
  }
}
