// Makes images in place of those that cannot be pulled: a Node.js base, and for each engine the
// server that tools/servers would run.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kafka } from '../servers/kafka.mjs';
import { answers, runTool } from '../servers/run-tool.mjs';
import { serversFolder, versions } from '../servers/servers-folder.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('stand-ins/', import.meta.url));
const certificates = '/etc/ssl/certs/ca-certificates.crt';

/** A description of each stand-in, by service of the compose file. */
export const standIns = {
  eventstoredb: "this project's double of EventStoreDB, not EventStoreDB itself",
  mongodb: `SecantusDB ${versions.mongodb.secantusdb}, not MongoDB itself`,
  kafka: `the real Kafka ${versions.kafka.version}, from its Maven artifacts`,
};

/** What this machine lacks for making stand-ins. */
export const missingForStandIns = () => [
  ...(process.platform === 'linux' && process.getuid() === 0 ? [] : ['root on Linux']),
  ...(answers('debootstrap', '--version')
    ? []
    : ['debootstrap (Debian: apt-get install debootstrap)']),
  ...(existsSync(certificates) ? [] : [certificates]),
  ...kafka.lacks(),
];

/** Makes an image in place of the official `node:<version>-…`. Resolves to its name. */
export const makeNode = (version) =>
  made(`refledger-stand-in/node:${version}`, async (context) => {
    const debian = join(context, 'debian');
    await runTool('debootstrap', [
      '--variant=minbase',
      '--include=ca-certificates',
      'bookworm',
      debian,
    ]);
    await runTool('bash', [
      '-c',
      `set -o pipefail; tar -C '${debian}' -c . | docker import - refledger-stand-in/debian`,
    ]);
    rmSync(debian, { recursive: true });
    await unpacked(`node-${process.platform}-${process.arch}@${version}`, join(context, 'node'));
    await unpacked(
      `npm@${JSON.parse(spawnSync('npm', ['version', '--json'], { encoding: 'utf8' }).stdout).npm}`,
      join(context, 'npm'),
    );
    cpSync(certificates, join(context, 'ca-certificates.crt'), { dereference: true });
    return { dockerfile: 'node.Dockerfile', args: {} };
  });

/** Makes an engine's image from tools/compose/stand-ins on a Node.js base. Resolves to its name. */
export const makeEngine = (service, base) =>
  made(
    `refledger-stand-in/${service}`,
    async (context) => ({
      dockerfile: `${service}.Dockerfile`,
      args: { BASE: base, ...(await ingredients[service](context)) },
    }),
    service === 'eventstoredb',
  );

const ingredients = {
  eventstoredb: async (context) => {
    await runTool(process.execPath, [join(root, 'deploy/runtime-files.mjs'), context, '--double']);
    return {};
  },
  mongodb: async () => ({ SECANTUSDB: versions.mongodb.secantusdb }),
  kafka: async (context) => {
    await kafka.install();
    cpSync(join(serversFolder(), `kafka-${versions.kafka.version}/libs`), join(context, 'libs'), {
      recursive: true,
    });
    cpSync(join(here, 'kafka.sh'), join(context, 'kafka.sh'));
    return {};
  },
};

const made = async (image, prepare, always = false) => {
  if (!always && answers('docker', 'image', 'inspect', image)) return image;
  const context = mkdtempSync(join(tmpdir(), 'refledger-stand-in-'));
  try {
    const { dockerfile, args } = await prepare(context);
    await runTool('docker', [
      'build',
      '-t',
      image,
      '-f',
      join(here, dockerfile),
      ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
      context,
    ]);
    return image;
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
};

/** Unpacks a package of the npm registry into a new folder. */
const unpacked = async (name, folder) => {
  mkdirSync(folder);
  await runTool('npm', ['pack', '--silent', '--pack-destination', folder, name]);
  const [archive] = readdirSync(folder);
  await runTool('tar', ['-xzf', join(folder, archive), '-C', folder, '--strip-components=1']);
  rmSync(join(folder, archive));
};
