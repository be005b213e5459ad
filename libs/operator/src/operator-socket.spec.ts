import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError, newId, type Position } from '@refledger/contracts';
import type { OperatorCommand } from './operator-command.js';
import { sendToService, operatorSocketPath, serveOperator } from './operator-socket.js';

describe('the operator socket', () => {
  let directory: string;
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'refledger-operator-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  const skip: OperatorCommand = {
    type: 'skip',
    processor: 'projector',
    event_id: 'e1',
    position: '7' as Position,
  };

  it('passes a command to the service and its response back', async () => {
    const path = operatorSocketPath(directory);
    const asked: OperatorCommand[] = [];
    const served = await serveOperator(path, (command) =>
      Promise.resolve(asked.push(command) === 1),
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect([await sendToService(path, skip), await sendToService(path, skip)]).toEqual([
      true,
      false,
    ]);
    expect(asked).toEqual([skip, skip]);
    await served.close();
  });

  it('passes a rejection back unchanged', async () => {
    const path = operatorSocketPath(directory);
    const served = await serveOperator(path, () =>
      Promise.reject(
        new DomainError('validation_failed', 'from must be start, head or a position'),
      ),
    );
    await expect(
      sendToService(path, { type: 'resume', processor: 'x', from: '?' }),
    ).rejects.toMatchObject({
      code: 'validation_failed',
      message: 'from must be start, head or a position',
    });
    await served.close();
  });

  it('names the payouts of a rejection', async () => {
    const path = operatorSocketPath(directory);
    const payouts = [newId('payout')];
    const served = await serveOperator(path, () =>
      Promise.reject(new DomainError('payouts_open', 'pay first', { payouts })),
    );
    await expect(
      sendToService(path, { type: 'erase', affiliate_id: newId('affiliate') }),
    ).rejects.toMatchObject({ code: 'payouts_open', message: 'pay first', extras: { payouts } });
    await served.close();
  });

  it.each([
    [200, 'not JSON'],
    [200, '{}'],
    [200, 'null'],
    [500, ''],
  ])('says so when the response makes no sense: %i, %j', async (status, text) => {
    const path = operatorSocketPath(directory);
    const server = createServer((_, response) => response.writeHead(status).end(text));
    await once(server.listen(path), 'listening');
    await expect(sendToService(path, skip)).rejects.toThrow('the service sent an invalid response');
    server.close();
  });

  it('returns nothing when no service listens, even if a killed one left its socket behind', async () => {
    const path = operatorSocketPath(directory);
    expect(await sendToService(path, skip)).toBeUndefined();
    const killed = await serveOperator(path, () => Promise.resolve(true));
    await killed.close();
    writeFileSync(path, '');
    expect(await sendToService(path, skip)).toBeUndefined();
    const served = await serveOperator(path, () => Promise.resolve(true));
    expect(await sendToService(path, skip)).toBe(true);
    await served.close();
  });

  it('closes immediately even while a client holds a connection open', async () => {
    const path = operatorSocketPath(directory);
    const served = await serveOperator(path, () => Promise.resolve(true));
    const silent = connect(path)
      .on('error', () => undefined)
      .resume();
    await once(silent, 'connect');
    expect(await sendToService(path, skip)).toBe(true);
    const ended = new Promise((resolve) => silent.once('close', resolve));
    await served.close();
    await ended;
  });

  it('keeps the path of the socket short', () => {
    const path = operatorSocketPath(join(tmpdir(), 'a'.repeat(200)));
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(107);
  });
});
