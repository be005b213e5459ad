// `npm run test:compose`: builds the images, starts docker-compose.yml as a separate project, runs
// the session of docs/getting-started.md, kills one container of each kind, and runs the session
// again after each kill.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkContext } from './compose/context.mjs';
import { engineImages } from './compose/images.mjs';
import { composeCommand, stackOf, reasonToSkip } from './compose/stack.mjs';
import { freePort } from './free-port.mjs';
import { differences, playSession } from './session.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = 'docs/getting-started.md';
const document = readFileSync(join(root, page), 'utf8');
const engines = ['eventstoredb', 'mongodb', 'kafka'];
const roles = ['gateway', 'projector', 'ledger', 'relay', 'webhook-dispatcher'];
/** All of them, unless arguments name some: `npm run test:compose -- relay kafka`. */
const killed = process.argv.length > 2 ? process.argv.slice(2) : [...roles, ...engines];
/** Enough for a slow machine with the engines in containers. */
const timeoutMs = 300_000;

/** Says why this test cannot run here. Exit code 2 means that this is not a failure. */
const notRun = (why) => {
  console.error(`NOT RUN: ${why}, so docker-compose.yml and deploy/Dockerfile are untested.`);
  process.exit(2);
};

const why = reasonToSkip();
if (why !== undefined) notRun(why);
const images = await engineImages();
if (images.lacking !== undefined) notRun(images.lacking);
for (const line of images.notes) console.log(line);

const folder = mkdtempSync(join(tmpdir(), 'refledger-compose-'));
const port = await freePort();
const operatorKey = randomBytes(24).toString('hex');
const project = `refledger-test-${process.pid}`;

// docker reads JSON as YAML; the images have their own names, so that they replace no others
const over = join(folder, 'over.json');
writeFileSync(
  over,
  JSON.stringify({
    services: {
      ...images.services,
      ...Object.fromEntries(
        [...roles, 'ops'].map((role) => [role, { image: `refledger-test/${role}` }]),
      ),
    },
  }),
);
const env = {
  ...process.env,
  BASE: images.base,
  PORT: port,
  BOOTSTRAP_API_KEY: operatorKey,
  SECRETS_KEY: randomBytes(32).toString('base64'),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  LOG_LEVEL: 'warn',
};
const stack = stackOf({ command: composeCommand(), project, files: [over], env });

const post = async (path, body) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201)
    throw new Error(`POST ${path} returned ${answer.status}: ${await answer.text()}`);
  return answer.json();
};

/**
 * Runs the session with a new account, so that each session starts from scratch. Returns the key
 * and the sale.
 */
const play = async (when) => {
  const { api_key } = await post('/v1/accounts', { name: when });
  const receiver = await freePort('0.0.0.0');
  const at = mkdtempSync(join(folder, 'session-'));
  mkdirSync(join(at, '.data'));
  writeFileSync(join(at, '.data/api-key'), api_key);
  symlinkSync(join(root, 'tools'), join(at, 'tools'));
  const own = (block) =>
    block
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:4000', `host.docker.internal:${receiver}`)
      .replaceAll(
        'node tools/receiver.mjs 4000',
        `HOST=0.0.0.0 node tools/receiver.mjs ${receiver}`,
      )
      .replaceAll('npm run --silent ops --', stack.oneOff('ops'));
  const asDocumented = (text) =>
    text
      .replaceAll(`0.0.0.0:${receiver}`, '127.0.0.1:4000')
      .replaceAll(`host.docker.internal:${receiver}`, '127.0.0.1:4000');
  const outputs = playSession(document, {
    own,
    folder: at,
    env: { ...env, COMPOSE_IGNORE_ORPHANS: 'true' },
  }).map(asDocumented);
  const different = differences(page, document, outputs);
  if (different.length > 0) throw new Error(`${when}: ${different.join('\n\n')}`);
  console.log(`${when}: ${outputs.length} steps match ${page}`);
  return { api_key, conversion: /conv_[0-9a-z]{26}/.exec(outputs.join('\n'))[0] };
};

const played = [];
const plays = async (when) => played.push(await play(when));

try {
  console.log(
    `the build context has the ${await checkContext(env)} files that .dockerignore allows`,
  );
  // compose v1 builds a service that has a profile only if the service is named
  await stack.run('build', ...roles, 'ops');
  await stack.run('up', '-d', '--no-build', ...roles);
  await stack.healthy([...engines, ...roles], timeoutMs);
  await plays('after the first start');
  for (const service of killed) {
    await stack.kill(service);
    await stack.run('up', '-d', '--no-build', ...roles);
    await stack.healthy([...engines, ...roles], timeoutMs);
    await plays(`after kill -9 of ${service}`);
  }
  for (const { api_key, conversion } of played) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/conversions/${conversion}`, {
      headers: { authorization: `Bearer ${api_key}` },
    });
    const { status } = await answer.json();
    if (status !== 'approved')
      throw new Error(`${conversion} is ${status}, but was approved before the kills`);
  }
  console.log(`${played.length} passed, 0 failed`);
} catch (error) {
  console.error(stack.logs());
  console.error(error.message);
  console.log(`${played.length} passed, 1 failed`);
  process.exitCode = 1;
} finally {
  await stack.run('down', '--volumes', '--remove-orphans');
  rmSync(folder, { recursive: true, force: true });
}
