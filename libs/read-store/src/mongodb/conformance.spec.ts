import { randomUUID } from 'node:crypto';
import { databaseUrl, describeWithServer, nameOf, startMongodb, type TestServer } from '@refledger/testing/servers';
import { MongoClient } from 'mongodb';
import { readStoreConformance } from '../conformance/index.js';
import { openMongodbReadStore } from './mongodb-read-store.js';

// another machine's server is slower than a file
describe.each([{ standalone: false }, { standalone: true }])('a server, %p', (options) => {
  describeWithServer('MongoDB', 'of MongoDB', () => {
    let server: TestServer;
    let client: MongoClient;
    beforeAll(async () => {
      server = await startMongodb(options);
      process.stderr.write(`the read store on ${nameOf(server)} ${JSON.stringify(options)}\n`);
      client = new MongoClient(server.url);
    });
    afterAll(async () => {
      await client.close();
      await server.stop();
    });

    readStoreConformance('MongoDB', () => {
      const database = `refledger-${randomUUID()}`;
      return Promise.resolve({
        open: () => openMongodbReadStore({ url: databaseUrl(server.url, database), mode: 'write' }),
        remove: async () => void (await client.db(database).dropDatabase()),
      });
    });
  });
});
