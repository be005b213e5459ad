/// <reference types="jest" />
import {
  affiliateBody,
  type ApiResponse,
  expectStatus,
  type Page,
  type Problem,
  type Replay,
  type MovableClock,
  type ServiceFactory,
  TestAccount,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { ReplayedAccount } from './replayed-account.js';

/** Tests what requests for replays are accepted, on a service with `retrySettings`. */
export const replayRequestsSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('requests for replays', () => {
    let replayed: ReplayedAccount;
    beforeAll(async () => {
      replayed = await ReplayedAccount.open(service, clock);
    });
    afterAll(() => replayed.close());

    const later = (): string => new Date(clock.now() + 3_600_000).toISOString();
    it.each<[string, () => object, readonly string[]]>([
      ['no since', () => ({}), ['/since']],
      ['a since that is neither position nor time', () => ({ since: 'yesterday' }), ['/since']],
      ['a since that is a number', () => ({ since: 0 }), ['/since']],
      ['a time ahead of the clock', () => ({ since: later() }), ['/since']],
      ['an until ahead of the clock', () => ({ since: '0', until: later() }), ['/until']],
      ['a since after until', () => ({ since: '2', until: '1' }), ['/since']],
      ['no kinds', () => ({ since: '0', types: [] }), ['/types']],
      ['an unknown kind', () => ({ since: '0', types: ['sale.made'] }), ['/types/0']],
      [
        'kinds that the endpoint does not subscribe to',
        () => ({ since: '0', types: ['conversion.created', 'payout.created'] }),
        ['/types/1'],
      ],
      ['a pattern of kinds', () => ({ since: '0', types: ['conversion.*'] }), ['/types/0']],
      ['an unknown only', () => ({ since: '0', only: 'some' }), ['/only']],
    ])('are refused with %s', async (_, body, paths) => {
      const response = await replayed.begin(replayed.witness.id, body());
      expectIssues(response, 'validation_failed', paths);
    });

    it('are refused with a position ahead of the log, if the engine knows its end for certain', async () => {
      const { api } = await replayed.account.atGateway(await (await service()).impatient());
      const ahead = '9'.repeat(19);
      for (const [path, body] of [
        ['/since', { since: ahead }],
        ['/until', { since: '0', until: ahead }],
      ] as const) {
        const response = await api.post(`/v1/webhooks/${replayed.witness.id}/replays`, body);
        if (response.status === 503) expectProblem(response, 503, 'read_model_behind');
        else expectIssues(response, 'validation_failed', [path]);
      }
    });

    it('are refused with a field that is unknown', async () => {
      const response = await replayed.begin(replayed.witness.id, { since: '0', from: '0' });
      expectIssues(response, 'unknown_field', ['/from']);
    });

    it('with a key start one replay, however often they are sent', async () => {
      const { id } = await replayed.late();
      const key = uniqueText('key');
      const body = { since: '0', only: 'all' };
      const responses = await Promise.all([1, 2, 3].map(() => replayed.begin(id, body, key)));
      for (const { status } of responses) expect([200, 202]).toContain(status);
      expect(new Set(responses.map((response) => response.body.id)).size).toBe(1);
      const [first] = responses;
      if (first === undefined) throw new Error('there is no response');
      await replayed.ended(first.body);
      const again = await replayed.begin(id, body, key);
      expect(expectStatus(200, again)).toMatchObject({ id: first.body.id, status: 'finished' });
      expect(again.header('idempotent-replayed')).toBe('true');
      for (const other of [{ only: 'missing' }, { since: '1' }, { types: ['conversion.created'] }])
        expectProblem(
          await replayed.begin(id, { ...body, ...other }, key),
          422,
          'idempotency_key_reused',
        );
      expect(await replayed.account.all<Replay>(`/v1/webhooks/${id}/replays`)).toHaveLength(1);
    });

    it('with a key are for one endpoint', async () => {
      const [one, other] = [await replayed.late(), await replayed.late()];
      const key = uniqueText('key');
      const body = { since: '0', until: '0' };
      const both = await Promise.all([one, other].map(({ id }) => replayed.begin(id, body, key)));
      expect(both.map(({ status }) => status).toSorted()).toEqual([202, 422]);
      const [refused, begun] = both[0]?.status === 202 ? [other, one] : [one, other];
      expectProblem(await replayed.begin(refused.id, body, key), 422, 'idempotency_key_reused');
      expect(await replayed.account.all<Replay>(`/v1/webhooks/${refused.id}/replays`)).toEqual([]);
      expectStatus(200, await replayed.begin(begun.id, body, key));
      // an affiliate may have the same key as a replay
      const affiliate = affiliateBody();
      const headers = { 'idempotency-key': key };
      expectStatus(201, await replayed.api.post('/v1/affiliates', affiliate, { headers }));
    });

    it('need scope `write`, and reading them `read`', async () => {
      const { id } = await replayed.late();
      const replay = await replayed.replay(id, { since: '0' });
      const reader = await replayed.account.withScope('read');
      const path = `/v1/webhooks/${id}/replays`;
      expect(expectStatus(200, await reader.get<Replay>(`${path}/${replay.id}`))).toEqual(replay);
      const list = async (query: Readonly<Record<string, string>> = {}) =>
        expectStatus(200, await reader.get<Page<Replay>>(path, { query })).data;
      expect(await list()).toEqual([replay]);
      expect(await list({ created_after: '2020-01-01T00:00:00Z' })).toEqual([replay]);
      for (const bound of ['created_after', 'created_before', 'created_to'])
        expect(await list({ [bound]: replay.created_at })).toEqual([]);
      expect(await list({ created_from: replay.created_at })).toEqual([replay]);
      for (const response of [
        await reader.post(path, { since: '0' }),
        await reader.delete(`${path}/${replay.id}`),
      ])
        expectProblem(response, 403, 'insufficient_scope');
      const writer = await replayed.account.withScope('write');
      expectStatus(202, await writer.post(path, { since: '0' }));
    });

    it('are listed, newest first unless asked otherwise, page by page', async () => {
      const { account } = replayed;
      const { id } = await replayed.late();
      const path = `/v1/webhooks/${id}/replays`;
      expect(await account.all<Replay>(path)).toEqual([]);
      const made: Replay[] = [];
      for (let n = 0; n < 3; n++) made.push(await replayed.replay(id, { since: '0' }));
      for (const limit of [1, 2, 100]) {
        expect(await account.all<Replay>(path, { limit, sort: 'created_at' })).toEqual(made);
        expect(await account.all<Replay>(path, { limit })).toEqual(made.toReversed());
      }
      for (const [field, value] of Object.entries({
        sort: 'until',
        cursor: 'nonsense',
        limit: '0',
      }))
        expectIssues(
          await account.api.get(path, { query: { [field]: value } }),
          'validation_failed',
          [field],
        );
    });

    it('of another account, or to another endpoint, find nothing', async () => {
      const { account, witness } = replayed;
      const replay = await replayed.replay(witness.id, { since: '0' });
      const stranger = (await TestAccount.open(await service())).api;
      const requests: readonly ((endpoint: string, id: string) => Promise<ApiResponse>)[] = [
        (endpoint) => stranger.post(`/v1/webhooks/${endpoint}/replays`, { since: '0' }),
        (endpoint) => stranger.get(`/v1/webhooks/${endpoint}/replays`),
        (endpoint, id) => stranger.get(`/v1/webhooks/${endpoint}/replays/${id}`),
        (endpoint, id) => stranger.delete(`/v1/webhooks/${endpoint}/replays/${id}`),
      ];
      for (const send of requests) {
        const unknown = [unknownId('whk'), unknownId('rpl')] as const;
        expect(shown(await send(witness.id, replay.id), witness.id, replay.id)).toEqual(
          shown(await send(...unknown), ...unknown),
        );
      }
      const { id } = await replayed.late();
      for (const path of [
        `/v1/webhooks/${id}/replays/${replay.id}`,
        `/v1/webhooks/${witness.id}/replays/${unknownId('rpl')}`,
        `/v1/webhooks/${witness.id}/replays/nonsense`,
        `/v1/webhooks/${unknownId('whk')}/replays`,
        '/v1/webhooks/nonsense/replays',
      ])
        expectProblem(await account.api.get(path), 404, 'not_found');
      expect(await replayed.get(replay)).toEqual(replay);
    });
  });
};

/**
 * A response without the parts that must differ: the ids that were asked for, and the request's.
 */
const shown = (response: ApiResponse, ...ids: readonly string[]): unknown => {
  const { request_id: _, ...problem } = response.body as Problem;
  expect(response.status).toBe(404);
  return ids.reduce((text, id) => text.replaceAll(id, 'ID'), JSON.stringify(problem));
};
