import {
  newId,
  streams,
  type DomainEvent,
  type EndpointId,
  type PublicEventType,
  type Position,
} from '@refledger/contracts';
import { encodeEvent, type EventLog, type LogBatch, type LoggedEvent } from '@refledger/event-log';
import { EndpointDirectory } from './endpoint-directory.js';

const account = newId('account');
const fieldsOf = (id: EndpointId, events: readonly PublicEventType[]) => ({
  target_url: `https://${id}/`,
  target_key: `https://${id}/`,
  events: [...events],
  description: null,
  secret: 's',
  payload: 'full' as const,
  max_per_second: null,
});
const about = (endpoint_id: EndpointId) => ({
  endpoint_id,
  before: {
    fields: fieldsOf(endpoint_id, []),
    status: 'enabled',
    disabled: null,
    failing_since: null,
    previous: null,
    created_at: '',
    updated_at: '',
  } as const,
});
const subscribed = (endpoint_id: EndpointId, ...events: PublicEventType[]): DomainEvent => ({
  type: 'webhook.subscribed',
  data: { endpoint_id, fields: fieldsOf(endpoint_id, events) },
});
const updated = (endpoint_id: EndpointId, ...events: PublicEventType[]): DomainEvent => ({
  type: 'webhook.updated',
  data: {
    ...about(endpoint_id),
    fields: fieldsOf(endpoint_id, events),
    status: 'enabled',
  },
});
const enabled = (endpoint_id: EndpointId, ...events: PublicEventType[]): DomainEvent => ({
  type: 'webhook.enabled',
  data: { ...about(endpoint_id), fields: fieldsOf(endpoint_id, events), held: 'send' },
});
const disabled = (endpoint_id: EndpointId): DomainEvent => ({
  type: 'webhook.disabled',
  data: { ...about(endpoint_id), reason: 'gone' },
});
const unsubscribed = (endpoint_id: EndpointId): DomainEvent => ({
  type: 'webhook.unsubscribed',
  data: { endpoint_id },
});

const positionOf = (position: number): Position => String(position) as Position;

/** A log in memory, with events at the positions 1, 2, 3 and so on. */
class MemoryLog implements Pick<EventLog, 'readAll' | 'subscribe' | 'head'> {
  readonly events: LoggedEvent[] = [];
  reads = 0;

  add(...events: readonly DomainEvent[]): void {
    for (const event of events) {
      const revision = this.events.length;
      const metadata = { account_id: account, actor: 'k', request_id: 'r', recorded_at: '' };
      this.events.push({
        ...encodeEvent(event, `e${revision}`, metadata),
        stream: streams.webhooks(account),
        revision,
        position: positionOf(revision + 1),
      });
    }
  }

  head = () => Promise.resolve(this.events.at(-1)?.position);
  subscribe: EventLog['subscribe'] = () => {
    throw new Error('not followed live');
  };

  async *readAll({
    after,
  }: { readonly after?: Position | undefined } = {}): AsyncGenerator<LogBatch> {
    this.reads++;
    const events = this.events.slice(Number(after ?? 0));
    const batch = { events, through: positionOf(this.events.length) };
    if (events.length > 0) yield await Promise.resolve(batch);
  }
}

let log: MemoryLog;
let directory: EndpointDirectory;
const following = async (...events: readonly DomainEvent[]): Promise<void> => {
  log.add(...events);
  await directory.followTo();
};
const matching = (position: number, type: PublicEventType = 'affiliate.created') =>
  directory
    .matching({ accountId: account, type, position: positionOf(position), objectId: undefined })
    .map(({ endpointId }) => endpointId);
beforeEach(() => {
  log = new MemoryLog();
  directory = new EndpointDirectory({ log, skips: { isSkipped: () => false } });
});

const [a, b, c] = [newId('endpoint'), newId('endpoint'), newId('endpoint')];

it('matches an endpoint from its subscription until its removal, despite other removals', async () => {
  const to = 'affiliate.created';
  await following(
    subscribed(a, to),
    subscribed(b, to),
    unsubscribed(b),
    subscribed(c, to),
    unsubscribed(a),
  );
  expect([0, 1, 2, 3, 4, 5, 9].map((position) => new Set(matching(position)))).toEqual(
    [[], [a], [a, b], [a], [a, c], [c], [c]].map((ids) => new Set(ids)),
  );
});

it('matches by the version in force at the position', async () => {
  await following(
    subscribed(a, 'affiliate.created'),
    updated(a, 'conversion.created'),
    disabled(a),
    enabled(a, 'affiliate.created', 'conversion.created'),
  );
  expect([1, 2, 3, 4].map((position) => matching(position))).toEqual([[a], [], [], [a]]);
  expect([1, 2, 3, 4].map((position) => matching(position, 'conversion.created'))).toEqual([
    [],
    [a],
    [],
    [a],
  ]);
});

it('has the latest version of subscribed endpoints, and none of removed ones', async () => {
  await following(
    subscribed(a, 'affiliate.created'),
    subscribed(b, 'affiliate.created'),
    updated(a, 'conversion.created'),
    disabled(a),
    unsubscribed(b),
  );
  expect(directory.latest(a)).toEqual({
    accountId: account,
    position: '4',
    maxPerSecond: null,
    revision: 3,
    status: 'disabled',
    disabled: 'gone',
    health: 'ok',
    seriesFrom: '4',
    goneAt: '4',
    droppedAt: null,
    stoppedSince: '',
    target_url: `https://${a}/`,
    events: ['conversion.created'],
    secret: 's',
    payload: 'full',
    previous: null,
  });
  expect(directory.latest(b)).toBeUndefined();
  expect(changed()).toEqual([
    [a, 'canceled', '4'],
    [b, 'canceled', '5'],
  ]);
  expect(changed()).toEqual([]);
});

it('knows what becomes of the deliveries of an endpoint that was disabled or unsubscribed', async () => {
  const changesOf = (endpoint: EndpointId) =>
    directory
      .deliveriesChangesOf(endpoint)
      .map((change) => [change.to, 'decidedBelow' in change ? change.decidedBelow : undefined]);
  expect(changesOf(a)).toEqual([]);
  await following(
    subscribed(a, 'affiliate.created'),
    subscribed(b, 'affiliate.created'),
    disabled(a),
    updated(b, 'conversion.created'),
    unsubscribed(b),
    subscribed(c, 'affiliate.created'),
  );
  expect([a, b, c].map(changesOf)).toEqual([
    [
      ['canceled', '3'],
      ['held', '3'],
    ],
    [['canceled', '6']],
    [['send', undefined]],
  ]);
  await following(enabled(a, 'affiliate.created'));
  expect(changesOf(a)).toEqual([
    ['canceled', '3'],
    ['send', undefined],
  ]);
  // one that is subscribed only after the position followed
  expect(changesOf(newId('endpoint'))).toEqual([['canceled', '7']]);
});

it('matches an endpoint that is paused or failing, as held, and none that is gone', async () => {
  const fields = fieldsOf(a, ['affiliate.created']);
  const enabled = { ...about(a), fields, held: 'send' as const };
  await following(
    subscribed(a, 'affiliate.created'),
    { type: 'webhook.paused', data: { ...about(a), fields } },
    { type: 'webhook.updated', data: { ...about(a), fields, status: 'paused' } },
    { type: 'webhook.enabled', data: enabled },
    { type: 'webhook.disabled', data: { ...about(a), reason: 'failing' } },
    { type: 'webhook.updated', data: { ...about(a), fields, status: 'disabled' } },
    { type: 'webhook.enabled', data: enabled },
    disabled(a),
    { type: 'webhook.updated', data: { ...about(a), fields, status: 'disabled' } },
    { type: 'webhook.paused', data: { ...about(a), fields } },
  );
  const how = log.events.map(({ position }) =>
    directory
      .matching({ accountId: account, type: 'affiliate.created', position, objectId: undefined })
      .map(({ isHeld }) => (isHeld ? 'held' : 'sent'))
      .join(),
  );
  expect(how).toEqual(['sent', 'held', 'held', 'sent', 'held', 'held', 'sent', '', '', 'held']);
});

it('reports each disabling with its position, even if the endpoint is enabled again', async () => {
  await following(
    subscribed(a, 'affiliate.created'),
    disabled(a),
    enabled(a, 'affiliate.created'),
    disabled(a),
    enabled(a, 'affiliate.created'),
  );
  expect(changed()).toEqual([
    [a, 'canceled', '2'],
    [a, 'send', undefined],
    [a, 'canceled', '4'],
    [a, 'send', undefined],
  ]);
});

it('ignores an endpoint whose subscription was skipped', async () => {
  directory = new EndpointDirectory({
    log,
    skips: { isSkipped: (id) => id === 'e0' },
  });
  await following(
    subscribed(a, 'affiliate.created'),
    updated(a, 'affiliate.created'),
    disabled(a),
    unsubscribed(a),
  );
  expect([1, 2, 3, 4].map((position) => matching(position))).toEqual([[], [], [], []]);
  expect(directory.latest(a)).toBeUndefined();
  expect(changed().filter(([, to]) => to === 'send')).toEqual([]);
});

const changed = () =>
  directory
    .takeChanged()
    .map(({ endpoint, change }) => [
      endpoint,
      change.to,
      'decidedBelow' in change ? change.decidedBelow : undefined,
    ]);

const followLive = async (): Promise<void> => {
  for await (const batch of directory.changes(new AbortController().signal)) directory.apply(batch);
};

describe('after planned history is forgotten', () => {
  const history = [
    subscribed(a, 'affiliate.created'),
    updated(a, 'conversion.created'),
    subscribed(b, 'affiliate.created'),
    unsubscribed(b),
    updated(a, 'affiliate.created'),
  ];
  const wanted = [[a], [], [b], [], [a]];

  it.each([0, 1, 2, 3, 4, 5])('matches above the floor %i as before', async (floor) => {
    await following(...history);
    directory.forgetUpTo(positionOf(floor));
    expect(
      history
        .map((_, n) => n + 1)
        .filter((n) => n > floor)
        .map((n) => matching(n)),
    ).toEqual(wanted.slice(floor));
    expect(matching(9)).toEqual([a]);
  });

  it('matches the same when it starts with a floor', async () => {
    directory.forgetUpTo(positionOf(2));
    await following(...history);
    expect([3, 4, 5].map((n) => matching(n))).toEqual(wanted.slice(2));
  });

  it('reads the log again only when planning continues from a lower floor', async () => {
    await following(...history);
    directory.forgetUpTo(positionOf(4));
    const reads = log.reads;
    await directory.continueAbove(positionOf(4));
    await directory.continueAbove(positionOf(5));
    expect(log.reads).toBe(reads);
    await directory.continueAbove(positionOf(1));
    expect([2, 3, 4, 5].map((n) => matching(n))).toEqual(wanted.slice(1));
    await directory.continueAbove(undefined);
    expect([1, 2, 3, 4, 5].map((n) => matching(n))).toEqual(wanted);
    expect(directory.latest(a)?.revision).toBe(4);
    expect(changed()).toEqual([[b, 'canceled', '4']]);
  });

  // at one of these steps the log has been read but its history is not in use yet
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'loses no live change at step %i of reading the log again',
    async (step) => {
      await following(...history);
      directory.forgetUpTo(positionOf(5));
      let come = (): void => undefined;
      const due = new Promise<void>((resolve) => (come = resolve));
      log.subscribe = async function* () {
        await due;
        log.add(unsubscribed(a));
        yield { events: log.events.slice(-1), through: positionOf(6) };
      };
      const live = followLive();
      const again = directory.continueAbove(positionOf(1));
      for (let n = 0; n < step; n++) await Promise.resolve();
      come();
      await Promise.all([live, again]);
      expect([5, 6].map((n) => matching(n))).toEqual([[a], []]);
    },
  );

  it('applies a change that arrives while the log is being reread exactly once', async () => {
    await following(...history);
    directory.forgetUpTo(positionOf(5));
    const again = directory.continueAbove(positionOf(1));
    await following(unsubscribed(a));
    await again;
    await following(subscribed(c, 'affiliate.created'));
    expect([5, 6, 7].map((n) => matching(n))).toEqual([[a], [], [c]]);
  });
});

it('no endpoint wants an event about itself', async () => {
  const [a, b] = [newId('endpoint'), newId('endpoint')];
  await following(subscribed(a, 'webhook.disabled'), subscribed(b, 'webhook.disabled'));
  await following(disabled(b));
  const about = (objectId: string | undefined, position: number) =>
    directory
      .matching({
        accountId: account,
        type: 'webhook.disabled',
        position: positionOf(position),
        objectId,
      })
      .map(({ endpointId }) => endpointId);
  expect(about(b, 3)).toEqual([a]);
  expect([about(a, 2), about(newId('endpoint'), 2)]).toEqual([[b], [a, b]]);
});
