import { newId, streams, type DomainEvent, type EndpointId, type Position } from '@refledger/contracts';
import { encodeEvent, type EventLog, type LoggedEvent } from '@refledger/event-log';
import { EndpointDirectory } from './endpoint-directory.js';

const account = newId('account');
const fields = (target: string) => ({ target_url: target, target_key: target, events: ['affiliate.created' as const], description: null, secret: 's' });
const subscribed = (endpoint_id: EndpointId): DomainEvent => ({ type: 'webhook.subscribed', data: { endpoint_id, fields: fields(`https://${endpoint_id}/`) } });
const unsubscribed = (endpoint_id: EndpointId): DomainEvent => ({ type: 'webhook.unsubscribed', data: { endpoint_id } });

/** A directory that has followed these events, which stand at the positions 1, 2, 3 and so on. */
const following = async (...events: readonly DomainEvent[]): Promise<EndpointDirectory> => {
  const logged = events.map((event, index): LoggedEvent => ({
    ...encodeEvent(event, `e${index}`, { account_id: account, actor: 'k', request_id: 'r', recorded_at: '' }), stream: streams.webhooks(account), revision: index, position: at(index + 1),
  }));
  const through = at(events.length);
  const log: Pick<EventLog, 'readAll' | 'subscribe' | 'head'> = {
    head: () => Promise.resolve(through),
    subscribe: () => { throw new Error('not followed live'); },
    // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
    async *readAll() { yield { events: logged, through }; },
  };
  const directory = new EndpointDirectory({ log, isSkipped: () => false, onEnded: () => Promise.resolve() });
  await directory.followTo();
  return directory;
};
const at = (position: number): Position => String(position) as Position;
const matching = (directory: EndpointDirectory, position: number) => directory.matching({ accountId: account, type: 'affiliate.created', position: at(position) });

it('matches an endpoint from its subscription until its removal, whatever was removed before and after', async () => {
  const [a, b, c] = [newId('endpoint'), newId('endpoint'), newId('endpoint')];
  const directory = await following(subscribed(a), subscribed(b), unsubscribed(b), subscribed(c), unsubscribed(a));
  expect([0, 1, 2, 3, 4, 5, 9].map((position) => new Set(matching(directory, position)))).toEqual([[], [a], [a, b], [a], [a, c], [c], [c]].map((ids) => new Set(ids)));
  expect(directory.latest(b)?.status).toBe('removed');
});

it('looks at none of the endpoints that were removed before the event', async () => {
  const gone = Array.from({ length: 100 }, () => newId('endpoint'));
  const kept = newId('endpoint');
  const directory = await following(...gone.flatMap((id) => [subscribed(id), unsubscribed(id)]), subscribed(kept));
  const looks = jest.spyOn(Array.prototype, 'findLast');
  expect(matching(directory, 201)).toEqual([kept]);
  expect(looks).toHaveBeenCalledTimes(1);
  looks.mockRestore();
});
