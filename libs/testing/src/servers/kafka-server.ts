import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../free-port.js';
import type { ServerSource } from './choose-server.js';
import { startContainer } from './container-server.js';
import { environmentServer } from './environment-server.js';
import { serverVersions } from './installed.js';
import { startInstalled } from './installed-server.js';
import { nodeProperties } from './kafka-properties.js';
import type { TestServer } from './test-server.js';

/** A broker that is its own controller (KRaft, one process). `url` is its `host:port`. */
export const startKafka = async (choice: ServerSource): Promise<TestServer> => {
  const engine = 'Kafka';
  const product = 'Kafka';
  const [port, controllerPort] = [await freePort(), await freePort()];
  const url = `127.0.0.1:${port}`;
  switch (choice.from) {
    case 'environment':
      return environmentServer(engine, choice.url);
    case 'container':
      return startContainer({
        engine,
        product,
        version: choice.image.split(':').at(-1) ?? '',
        url,
        image: choice.image,
        port,
        ready: 'Kafka Server started',
        env: Object.fromEntries(
          Object.entries({
            ...nodeProperties(port, controllerPort),
            listeners: `PLAINTEXT://0.0.0.0:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
          }).map(([name, value]) => [`KAFKA_${name.replaceAll('.', '_').toUpperCase()}`, value]),
        ),
      });
    case 'installed':
      return startInstalled({
        engine,
        product,
        version: serverVersions.kafka.version,
        from: 'installed',
        url,
        command: async (dataFolder) => {
          const properties = join(dataFolder, 'server.properties');
          const logs = join(dataFolder, 'logs');
          await mkdir(logs);
          await writeFile(
            properties,
            Object.entries({ ...nodeProperties(port, controllerPort), 'log.dirs': logs })
              .map(([name, value]) => `${name}=${value}\n`)
              .join(''),
          );
          const java = (memory: string) => [
            `-Xmx${memory}`,
            '-XX:+UseSerialGC',
            '-XX:TieredStopAtLevel=1',
            '-cp',
            join(choice.folder, 'libs/*'),
          ];
          await promisify(execFile)('java', [
            ...java('128m'),
            'kafka.tools.StorageTool',
            'format',
            '-t',
            clusterId(),
            '-c',
            properties,
          ]);
          return {
            command: 'java',
            args: [...java('384m'), 'kafka.Kafka', properties],
            serves: (printed) => /Kafka Server started/.test(printed),
          };
        },
      });
  }
};

/** A uuid in base64url. StorageTool takes one that begins with `-` for an option. */
const clusterId = (): string => {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? clusterId() : id;
};
