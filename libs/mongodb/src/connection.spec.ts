import { connectMongodb } from './connection.js';

/** Nothing listens on port 1. */
const unreachable = 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50';

it('fails if no server answers', async () => {
  await expect(connectMongodb(unreachable, 'test')).rejects.toMatchObject({ fault: 'unavailable' });
});

it('resolves before a server answers, if told not to wait for one', async () => {
  const connection = await connectMongodb(unreachable, 'test', false);
  expect(connection.db.databaseName).toBe('refledger');
  await connection.close();
});
