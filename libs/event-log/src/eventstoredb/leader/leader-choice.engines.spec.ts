import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { scaledTimeout } from '@refledger/testing';
import { closing, startCluster, startDouble } from '../../../test/eventstoredb/logs.js';
import { readConnectionString } from '../connection-string.js';
import { LeaderChoice } from './leader-choice.js';

const deadlineMs = scaledTimeout(4_000);

/** A node that accepts connections but never responds, as a frozen one does. */
const startSilentNode = async () => {
  const server = createServer();
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push({
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(resolve);
      }),
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
};

it('a node that only names itself replaces a silent leader if it commits, and only then', async () => {
  const { nodes, url } = await startCluster();
  const [old, next, third] = nodes;
  const choice = new LeaderChoice(readConnectionString(url), deadlineMs);
  for (const node of [old, third]) await node.suspend();

  next.stopReplicating();
  expect(await choice.isReplaced(old.address)).toBe(false);
  expect(choice.named).toBeUndefined();

  next.catchUp();
  next.lead();
  expect(await choice.isReplaced(old.address)).toBe(true);
  expect(await choice.next()).toEqual({ address: next.address, isConfirmed: true });
  for (const node of [old, third]) node.resume();
});

it('a silent node is not asked, neither while it is the leader nor once it was', async () => {
  const first = await startDouble();
  const second = await startDouble({ shares: first });
  first.lead();
  const silent = await startSilentNode();
  const url = `esdb://${silent.address},${first.address},${second.address}?tls=false`;
  const choice = new LeaderChoice(readConnectionString(url), deadlineMs);

  expect(await choice.isReplaced(silent.address)).toBe(true);
  // the first time it is named; afterward the nodes are asked
  for (let n = 0; n < 2; n++)
    expect(await choice.next()).toEqual(
      expect.objectContaining({ address: first.address, isConfirmed: true }),
    );
  expect(silent.sockets).toEqual([]);

  await first.kill();
  await second.kill();
  // no one else responds, so it is asked, too
  await expect(choice.next()).rejects.toMatchObject({ fault: { kind: 'unavailable' } });
  expect(silent.sockets).not.toEqual([]);
});
