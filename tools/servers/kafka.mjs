import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce, isInstalled } from './install-once.mjs';
import { answers, retries, runTool } from './run-tool.mjs';
import { versions } from './servers-folder.mjs';

const { version, scala, slf4j } = versions.kafka;
const folderName = `kafka-${version}`;

/** The real broker, from its Maven artifacts. */
export const kafka = {
  engine: 'Kafka',
  url: 'TEST_KAFKA_BROKERS',
  image: versions.kafka.image,
  product: `Kafka ${version}`,
  lacks: () => [
    ...(answers('java', '-version')
      ? []
      : ['JDK 17 or later (Debian: apt-get install openjdk-17-jdk-headless)']),
    ...(isInstalled(folderName) || answers('mvn', '-v')
      ? []
      : ['Maven (Debian: apt-get install maven)']),
  ],
  install: () =>
    installOnce(folderName, async (folder) => {
      writeFileSync(join(folder, 'pom.xml'), pom);
      await runTool(
        'mvn',
        [
          '-q',
          '-B',
          ...attempts,
          'dependency:copy-dependencies',
          `-DoutputDirectory=${join(folder, 'libs')}`,
        ],
        { cwd: folder },
      );
    }),
};

// the names of one setting in Maven 3.8 and 3.9
const attempts = [
  'maven.wagon.http.retryHandler.count',
  'aether.connector.http.retryHandler.count',
].map((name) => `-D${name}=${retries()}`);

const dependency = (group, artifact, of) =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${of}</version></dependency>`;
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>refledger</groupId><artifactId>test-servers</artifactId><version>1</version>
  <dependencies>
    ${dependency('org.apache.kafka', `kafka_${scala}`, version)}
    ${dependency('org.slf4j', 'slf4j-simple', slf4j)}
  </dependencies>
</project>
`;
