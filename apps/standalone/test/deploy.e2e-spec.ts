import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, nodeFlags } from '@refledger/testing';

const root = join(__dirname, '../../..');
const roles = [
  'gateway',
  'projector',
  'ledger',
  'relay',
  'webhook-dispatcher',
  'ops',
  'standalone',
];
describe('the files in the image', () => {
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'refledger-image-'));
    await promisify(execFile)(process.execPath, [
      join(root, 'deploy/runtime-files.mjs'),
      directory,
    ]);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('are the bundled programs and the packages that they import', () => {
    const bundled = readdirSync(join(directory, 'bundle'));
    expect(bundled).toEqual(expect.arrayContaining(roles.map((role) => `${role}.js`)));
    expect(bundled.filter((file) => !file.endsWith('.js'))).toEqual([]);
    expect(bundled).not.toContain('eventstoredb-double.js');
    expect(readdirSync(directory).sort()).toEqual(['bundle', 'node_modules', 'package.json']);
    const packages = readdirSync(join(directory, 'node_modules'));
    expect(packages).toContain('mongodb');
    expect(packages).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(zod|jest|nx|typescript|testcontainers|eslint)$/),
      ]),
    );
  });

  it('are enough for a standalone service', async () => {
    const env = {
      PATH: process.env['PATH'],
      PORT: '0',
      DATA_DIR: join(directory, 'data'),
      LOG_LEVEL: 'error',
    };
    const service = spawn(process.execPath, ['bundle/standalone.js'], {
      cwd: directory,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [reported] = (await once(service.stdout, 'data')) as [Buffer];
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(reported.toString())?.[0] ?? '';
      expect((await fetch(`${address}/docs`)).status).toBe(200);
      const authorization = `Bearer ${readFileSync(join(directory, 'data/api-key'), 'utf8').trim()}`;
      // the read models may be built only after the start was announced
      await eventually(async () =>
        expect(
          (await fetch(`${address}/v1/conversions`, { headers: { authorization } })).status,
        ).toBe(200),
      );
    } finally {
      const ended = once(service, 'exit');
      service.kill();
      await ended;
    }
  });
});

describe('the images', () => {
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  const compose = read('docker-compose.yml');
  const dockerfile = read('deploy/Dockerfile');

  it('of the engines are those of the test suites', () => {
    const versions = JSON.parse(read('tools/servers/versions.json')) as Readonly<
      Record<string, { readonly image: string }>
    >;
    const images = [...compose.matchAll(/^ {4}image: (?!refledger\/)(\S+)$/gm)].map(
      ([, image]) => image,
    );
    expect(images.sort()).toEqual(
      Object.values(versions)
        .map(({ image }) => image)
        .sort(),
    );
  });

  it('of Refledger are built on the Dockerfile’s base image and tagged with this version', () => {
    const base = /^ARG BASE=(\S+)$/m.exec(dockerfile)?.[1] ?? 'none';
    const { version } = JSON.parse(read('package.json')) as { readonly version: string };
    expect(compose).toContain(`'\${BASE:-${base}}'`);
    expect(base).toMatch(/:\d+\.\d+\.\d+-/);
    expect([...compose.matchAll(/image: refledger\/\S+:(\S+)$/gm)].map(([, tag]) => tag)).toEqual(
      Array(6).fill(version),
    );
  });

  it.each(roles)('have a target for %s, which starts the built role', (role) => {
    expect(dockerfile).toContain(`FROM runtime AS ${role}\n`);
    const command = ['node', ...(role === 'ops' ? [] : nodeFlags), `bundle/${role}.js`];
    expect(dockerfile).toContain(`ENTRYPOINT ${JSON.stringify(command).replaceAll(',', ', ')}`);
  });
});

it('the scripts and the systemd unit start the services with the same flags', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  for (const role of roles.filter((each) => each !== 'ops')) {
    const [name, argument] = role === 'standalone' ? ['start', ''] : [`start:${role}`, ` ${role}`];
    expect(scripts[name]).toBe(`exec node ${nodeFlags.join(' ')} tools/start.mjs${argument}`);
  }
  expect(readFileSync(join(root, 'docs/operations.md'), 'utf8')).toContain(
    `ExecStart=/usr/bin/node ${nodeFlags.join(' ')} /opt/refledger/bundle/standalone.js\n`,
  );
});

const canVerify = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!canVerify)
  console.warn('SKIPPED: the documented systemd units are not verified: systemd is not installed.');

(canVerify ? it : it.skip)('systemd accepts the documented units', () => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-units-'));
  try {
    const document = readFileSync(join(root, 'docs/operations.md'), 'utf8');
    const units = [...document.matchAll(/<!-- unit: (\S+) -->\n```ini\n([^]*?)```/g)].map(
      ([, name = '', unit = '']) => {
        const file = join(directory, name);
        // verifying looks for the program, which may be elsewhere on this machine
        writeFileSync(file, unit.replaceAll('/usr/bin/node', process.execPath));
        return file;
      },
    );
    expect(units).toHaveLength(3);
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...units], {
      encoding: 'utf8',
    });
    // an unknown setting is a warning: the command exits with 0
    expect([stdout, stderr]).toEqual(['', '']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
