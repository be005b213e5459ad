import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../free-port.js';
import type { ServerSource } from './choose-server.js';
import { startContainer, type ContainerServer } from './container-server.js';
import { environmentServer } from './environment-server.js';
import { serverVersions } from './installed.js';
import { startInstalled, type InstalledServer } from '../processes/installed-server.js';
import { nodeProperties } from './kafka-properties.js';
import type { TestServer } from '../test-server.js';

/** Starts a broker that is its own controller (KRaft, one process). `url` is its `host:port`. */
export const startKafka = async (choice: ServerSource): Promise<TestServer> => {
  const ports = { broker: await freePort(), controller: await freePort() };
  switch (choice.from) {
    case 'environment':
      return environmentServer('Kafka', choice.url);
    case 'container':
      return startContainer(kafkaContainer(choice.image, ports));
    case 'installed':
      return startInstalled(installedKafka(choice.directory, ports));
  }
};

interface Ports {
  readonly broker: number;
  readonly controller: number;
}

const kafka = ({ broker }: Ports) => ({
  engine: 'Kafka' as const,
  product: 'Kafka',
  url: `127.0.0.1:${broker}`,
});

const kafkaContainer = (image: string, ports: Ports): ContainerServer => ({
  ...kafka(ports),
  version: image.split(':').at(-1) ?? '',
  image,
  port: ports.broker,
  ready: 'Kafka Server started',
  env: Object.fromEntries(
    Object.entries({
      ...nodeProperties(ports.broker, ports.controller),
      listeners: `PLAINTEXT://0.0.0.0:${ports.broker},CONTROLLER://127.0.0.1:${ports.controller}`,
    }).map(([name, value]) => [`KAFKA_${name.replaceAll('.', '_').toUpperCase()}`, value]),
  ),
});

const installedKafka = (directory: string, ports: Ports): InstalledServer => ({
  ...kafka(ports),
  version: serverVersions.kafka.version,
  from: 'installed',
  command: async (dataDirectory) => {
    const properties = await writeProperties(dataDirectory, ports);
    await promisify(execFile)('java', [
      ...java(directory, '128m'),
      'kafka.tools.StorageTool',
      'format',
      '-t',
      clusterId(),
      '-c',
      properties,
    ]);
    return {
      command: 'java',
      args: [...java(directory, '384m'), 'kafka.Kafka', properties],
      serves: (printed) => /Kafka Server started/.test(printed),
    };
  },
});

/**
 * Writes the settings of a broker with its logs in this directory. Returns the path of the settings
 * file.
 */
const writeProperties = async (dataDirectory: string, ports: Ports): Promise<string> => {
  const file = join(dataDirectory, 'server.properties');
  const logs = join(dataDirectory, 'logs');
  await mkdir(logs);
  const properties = { ...nodeProperties(ports.broker, ports.controller), 'log.dirs': logs };
  await writeFile(
    file,
    Object.entries(properties)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  return file;
};

const java = (directory: string, memory: string): readonly string[] => [
  `-Xmx${memory}`,
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-cp',
  join(directory, 'libs/*'),
];

/**
 * Returns a UUID in base64url that does not start with `-`, which StorageTool would take for an
 * option.
 */
const clusterId = (): string => {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? clusterId() : id;
};
