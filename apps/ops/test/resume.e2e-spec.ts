import { streams, type DomainEvent } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openDeliveryStore } from '@refledger/delivery-store';
import { jsonLines, ops } from './ops-process.js';
import { SampleDirectory } from './sample-directory.js';

const dispatcher = 'webhook-dispatcher';
const opened = (store_id: string): DomainEvent => ({
  type: 'processor.opened',
  data: { processor: dispatcher, store_id, decision: null },
});

describe('ops resume without a running service', () => {
  let directory: SampleDirectory;
  beforeEach(async () => {
    directory = await SampleDirectory.make();
  });
  afterEach(() => directory.remove());

  /** Makes a delivery store whose checkpoint is in another log. Resolves to its id. */
  const makeStore = async (): Promise<string> => {
    const store = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, {
      dataDir: directory.path,
    });
    await store.resetOffsets([{ source: 'another', partition: 'log', offset: '7' }], undefined);
    await store.close();
    return store.id;
  };

  it.each([
    {
      found: 'no store where the log names one',
      make: () => Promise.resolve({ recorded: 'lost', present: null, checkpoint: [] }),
    },
    {
      found: 'a store other than the recorded one',
      make: async () => ({
        recorded: 'lost',
        present: await makeStore(),
        checkpoint: ['log another 7'],
      }),
    },
    {
      found: 'the recorded store with a checkpoint of another log',
      make: async () => {
        const id = await makeStore();
        return { recorded: id, present: id, checkpoint: ['log another 7'] };
      },
    },
  ])('records the stop that it saw with each decision: $found', async ({ make }) => {
    const { recorded, present, checkpoint } = await make();
    await directory.append(streams.processor(dispatcher), opened(recorded));
    for (const from of ['head', '3'])
      expect(await ops(directory.path, 'resume', dispatcher, '--from', from)).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^recorded: .* at its next start\n$/) as string,
      });
    const noted = jsonLines(await ops(directory.path, 'show', dispatcher, '--json'));
    const stop = { recorded_store: recorded, present_store: present, checkpoint };
    expect(noted.slice(1).map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'processor.stopped', data: { processor: dispatcher, stop } },
      { type: 'processor.resumed', data: { processor: dispatcher, from: 'head', stop } },
      { type: 'processor.resumed', data: { processor: dispatcher, from: '3', stop } },
    ]);
  });
});
