import { newId, streams } from '@refledger/contracts';
import { firstAccountId, programDecider, programRecord } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import { newSimulatedLog } from '@refledger/simulation';
import { newContext } from '../src/command-context.js';
import { CommandHandler } from '../src/command-handler.js';
import { Affiliates, program_id } from './affiliates.js';

const stream = streams.program(firstAccountId, program_id);

describe('the program of an affiliate', () => {
  let log: EventLog;
  let commands: CommandHandler;
  let affiliates: Affiliates;
  beforeEach(async () => {
    log = newSimulatedLog();
    commands = new CommandHandler(log);
    affiliates = new Affiliates(log);
    await affiliates.createAccount();
  });
  afterEach(() => log.close());

  const context = () => newContext({ accountId: firstAccountId, actor: 'test', requestId: 'r' });
  const enroll = (email: string, programAutoRegister = true) =>
    affiliates.create(newId('affiliate'), email, { programAutoRegister });
  const types = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const events of log.readStream(stream))
      found.push(...events.map(({ type }) => type));
    return found;
  };

  it('is created by the first affiliate, with its id as its name', async () => {
    await enroll('ada@example.com');
    await enroll('bob@example.com');
    expect(await types()).toEqual(['program.created']);
    const { state } = await commands.load(programDecider, stream);
    expect(programRecord(state)).toMatchObject({ id: program_id, name: program_id, revision: 0 });
  });

  it.each([true, false])(
    'gets no affiliates while it is archived (PROGRAM_AUTO_REGISTER: %s)',
    async (programAutoRegister) => {
      const setStatus = (status: 'active' | 'archived') =>
        commands.run({
          stream,
          decider: programDecider,
          context: context(),
          command: { type: 'update', program_id, patch: { status } },
        });
      await enroll('bob@example.com');
      await setStatus('archived');
      await expect(enroll('ada@example.com', programAutoRegister)).rejects.toMatchObject({
        code: 'program_not_active',
      });
      await setStatus('active');
      expect((await enroll('ada@example.com', programAutoRegister)).events).toHaveLength(1);
    },
  );

  it('must exist if affiliates create none', async () => {
    await expect(enroll('ada@example.com', false)).rejects.toMatchObject({
      code: 'program_not_found',
    });
    expect(await types()).toEqual([]);
  });
});
