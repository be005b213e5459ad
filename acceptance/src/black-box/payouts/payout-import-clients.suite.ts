/// <reference types="jest" />
import {
  type Affiliate,
  eventually,
  type Payout,
  type Service,
  type ServiceFactory,
} from '@refledger/testing';
import { RawConnection } from '../../raw-connection.js';
import { expectProblem } from '../expect-problem.js';
import { OwingAccount } from './owing-account.js';
import { imported, ndjson, sendImport } from './sent-import.js';

/** Tests clients that send an import slowly, do not read its results, or go away. */
export const payoutImportClientsSuite = (service: ServiceFactory): void => {
  describe('the client of an import', () => {
    let running: Service;
    let owing: OwingAccount;
    let affiliate: Affiliate;
    beforeAll(async () => {
      running = await service();
      owing = await OwingAccount.open(running);
      affiliate = await owing.payee();
    });
    const create = async (): Promise<Payout> => {
      await owing.owe(affiliate, 100);
      return owing.paid(affiliate);
    };
    const connections: RawConnection[] = [];
    afterEach(() => connections.splice(0).forEach((connection) => connection.drop()));
    /** Starts an import whose body has this many bytes. */
    const begin = async (bytes: number, options = {}): Promise<RawConnection> => {
      const connection = await RawConnection.open(running.baseUrl, options);
      connections.push(connection);
      connection.write(
        `POST /v1/payouts/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owing.api.key}\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${bytes}\r\n\r\n`,
      );
      return connection;
    };
    const mark = ({ id }: Payout, over: object = {}): string =>
      ndjson([{ payout_id: id, status: 'processing', ...over }]);

    it('gets each result as soon as the line is done', async () => {
      const [a, b] = [await create(), await create()];
      const connection = await begin(mark(a).length + mark(b).length);
      for (const [n, payout] of [a, b].entries()) {
        connection.write(mark(payout));
        await eventually(() =>
          expect(connection.received).toContain(
            `{"line":${n + 1},"status":200,"id":"${payout.id}"`,
          ),
        );
      }
      await eventually(() => expect(connection.received).toContain('"lines":2,'));
      await connection.finish();
    });

    it('has at most two imports at a time, per account', async () => {
      const payout = await create();
      const line = mark(payout);
      const open = [await begin(2 * line.length), await begin(2 * line.length)];
      for (const connection of open) connection.write(line);
      await eventually(() => expect(open.map(({ statuses }) => statuses)).toEqual([[200], [200]]));
      const refused = await sendImport(owing.api, line);
      expectProblem(refused, 429, 'too_many_imports');
      const other = await OwingAccount.open(running);
      expect((await imported(other.api, line)).end).toMatchObject({ lines: 1, failed: 1 });

      open[0]?.write(line);
      open[1]?.drop();
      for (let n = 0; n < 2; n++)
        await eventually(async () =>
          expect((await imported(owing.api, line)).end).toMatchObject({ replayed: 1 }),
        );
    });

    it('need not read the results: all lines are done', async () => {
      const payout = await create();
      // the problems take megabytes, more than the operating system keeps for a connection
      const unknown = Array.from({ length: 100 }, (_, n) => [`unknown_${n}`, n]);
      const refused = ndjson([Object.fromEntries(unknown)]).repeat(800);
      const body = refused + mark(payout);
      const connection = await begin(body.length, { reads: false });
      connection.write(body);
      await eventually(async () =>
        expect((await owing.payout(payout.id)).status).toBe('processing'),
      );
    });

    it('ends the import when it goes away: no further line is started', async () => {
      const payout = await create();
      const lines = Array.from({ length: 9_000 }, (_, n) => mark(payout, { reference: `${n}` }));
      const body = lines.join('');
      const connection = await begin(body.length);
      connection.write(body);
      await eventually(() => expect(connection.received).toContain('"line":1,'), { intervalMs: 2 });
      connection.drop();
      const line = mark(payout, { reference: 'later' });
      // two others are open at the same time only once this one has ended
      await eventually(async () => {
        const both = [await begin(2 * line.length), await begin(2 * line.length)];
        for (const other of both) other.write(line);
        await eventually(() => both.forEach(({ statuses }) => expect(statuses).toHaveLength(1)));
        const areOpen = both.every(({ statuses }) => statuses[0] === 200);
        if (areOpen)
          await eventually(() =>
            both.forEach(({ received }) => expect(received).toContain('"line":1,')),
          );
        for (const other of both) other.drop();
        expect(areOpen).toBe(true);
      });
      const { revision } = await owing.payout(payout.id);
      expect(revision).toBeLessThan(lines.length);
      expect(await owing.payout(payout.id)).toMatchObject({ revision, reference: 'later' });
    });
  });
};
