import { derivedId } from '@refledger/contracts';
import { Lanes } from './lanes.js';

const [a, b] = [derivedId('endpoint', 'a'), derivedId('endpoint', 'b')];

it('gives each endpoint a lane of its own, within what all share', () => {
  const lanes = new Lanes({ perEndpoint: 3, inAll: 5 });
  lanes.take(a, 3);
  expect([lanes.free(a), lanes.free(b), lanes.isFull]).toEqual([0, 2, false]);
  lanes.take(b, 2);
  expect([lanes.free(b), lanes.isFull, lanes.inUse]).toEqual([0, true, 5]);
  lanes.release(a, 1);
  expect([lanes.free(a), lanes.free(b)]).toEqual([1, 1]);
});

it('narrows the lane of an endpoint that does not answer to one, takes nothing ahead for it, and widens it when it answers', () => {
  const lanes = new Lanes({ perEndpoint: 4, inAll: 100 });
  lanes.take(a, 3);
  lanes.note(a, false);
  expect([lanes.free(a), lanes.ahead(a)]).toEqual([0, 0]);
  lanes.release(a, 3);
  expect(lanes.free(a)).toBe(1);
  expect(lanes.free(b)).toBe(4);
  lanes.note(a, true);
  expect(lanes.free(a)).toBe(4);
  expect(lanes.ahead(a)).toBeGreaterThan(0);
});
