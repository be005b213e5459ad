import { newId, streams, type DomainEvent } from '@refledger/contracts';
import { firstOpening } from '@refledger/domain';
import { eventually, startStandalone } from '@refledger/testing';
import { jsonLines, ops } from './ops-process.js';
import { ids, SampleDirectory } from './sample-directory.js';

const containing = (text: string): string => expect.stringContaining(text) as string;

let directory: SampleDirectory;
beforeEach(async () => {
  directory = await SampleDirectory.make();
});
afterEach(() => directory.remove());

it('posting skips an event in a running service, and the operator is told what follows', async () => {
  const position = await directory.append(streams.conversion(ids.conversion), {
    type: 'conversion.poison',
    data: {},
  });
  const service = await startStandalone({ dataDir: directory.path });
  try {
    await eventually(() => expect(service.logs()).toContain(`ops skip posting ${position}`));
    expect(await ops(directory.path, 'skip', 'posting', position)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /posting will skip this event\n[^]*ops verify --ledger names[^]*adjustment/,
      ) as string,
    });
    expect((await ops(directory.path, 'skip', 'projector', position)).out).not.toContain(
      '--ledger',
    );
    await eventually(async () =>
      expect((await fetch(`${service.opsUrl}/health/ready`)).status).toBe(200),
    );
    expect(await ops(directory.path, 'skip', 'posting', '5')).toMatchObject({
      code: 2,
      err: containing('posting has not stopped at this event'),
    });
  } finally {
    await service.stop();
  }
});

it('only a decision that may leave something out says so', async () => {
  expect(await ops(directory.path, 'resume', 'posting', '--from', 'start')).toMatchObject({
    code: 0,
    out: 'recorded: posting continues from the start at its next start\n',
  });
  expect((await ops(directory.path, 'resume', 'posting', '--from', '3')).out).toMatch(
    /^recorded: posting continues after position 3 at its next start\n[^]*ops verify --ledger/,
  );
});

it('says how the skipped end of a payout is carried out, and records that', async () => {
  const position = await directory.append(streams.payout(newId('payout')), {
    type: 'payout.completed',
    data: {},
  } as unknown as DomainEvent);
  expect(await ops(directory.path, 'skip', 'posting', position, '--force')).toMatchObject({
    code: 0,
    out: containing(`To carry it out after all: ops resume posting --from ${position}\n`),
  });
  expect(await ops(directory.path, 'resume', 'posting', '--from', position)).toMatchObject({
    code: 0,
    out: `recorded: posting no longer skips position ${position}, and continues with it at its next start\n`,
  });
  const decisions = jsonLines(await ops(directory.path, 'tail', '--json')).filter(
    ({ type }) => type === 'processor.resumed' || type === 'processor.skipped',
  );
  const [skipped, resumed] = decisions.map(({ data }) => data);
  expect(resumed).toMatchObject({ from: position, lifts: { event_id: skipped?.['event_id'] } });
});

it('a balance is shown over all its chapters', async () => {
  const balance_id = newId('balance');
  const opening = firstOpening({
    balance_id,
    affiliate_id: ids.affiliate,
    program_id: ids.program,
    currency: 'USD',
  });
  for (const chapter of ['0', '1'])
    await directory.append(streams.balance(balance_id, chapter), opening);
  await directory.append(streams.balance(newId('balance'), '0'), opening);

  const shown = await ops(directory.path, 'show', balance_id);
  expect(shown.code).toBe(0);
  expect(shown.out.match(/^refledger\.balance-.*$/gm)).toEqual([
    streams.balance(balance_id, '0'),
    streams.balance(balance_id, '1'),
  ]);
  expect(shown.out.match(/balance\.opened/g)).toHaveLength(2);
  const tailed = await ops(directory.path, 'tail', '--json', '--stream', balance_id);
  expect(jsonLines(tailed)).toHaveLength(2);
});
