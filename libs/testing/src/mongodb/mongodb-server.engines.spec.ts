import { MongoClient } from 'mongodb';
import { describeOnServer } from '../servers/describe-on-server.js';
import { eventually } from '../wait.js';

describe.each([{ standalone: false }, { standalone: true }])('a MongoDB server, %p', (options) => {
  describeOnServer(
    'MongoDB',
    'that a suite starts',
    (server) => {
      let client: MongoClient;
      beforeAll(() => {
        client = new MongoClient(server().url, { serverSelectionTimeoutMS: 5_000 });
      });
      afterAll(() => client.close());

      it('is of the requested kind', async () => {
        if (server().from === 'environment') return;
        const { setName } = await client.db('admin').command({ hello: 1 });
        expect(setName === undefined).toBe(options.standalone);
      });

      it('keeps acknowledged writes through a kill, at the same address, and does nothing while paused', async () => {
        if (server().from === 'environment')
          return expect(server().kill()).rejects.toThrow('from the environment');
        const notes = client
          .db('smoke')
          .collection<{ _id: number }>('notes', { writeConcern: { w: 'majority', journal: true } });
        await notes.insertOne({ _id: 1 });
        await server().kill();
        await server().start();
        expect(await eventually(() => notes.find().toArray())).toEqual([{ _id: 1 }]);

        let answered = false;
        server().pause();
        const asked = eventually(() => notes.insertOne({ _id: 2 })).then(() => (answered = true));
        await new Promise((resolve) => setTimeout(resolve, 200));
        expect(answered).toBe(false);
        server().resume();
        await asked;

        await server().restart();
        expect(await eventually(() => notes.countDocuments())).toBe(2);
      });
    },
    options,
  );
});
