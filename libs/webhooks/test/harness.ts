import { Storyteller } from '@refledger/event-bus/conformance';
import { Receiver } from './receiver.js';
import { Workbench } from './workbench.js';

/** What every test of a whole dispatcher begins with, new for each. */
export let bench: Workbench;
export let receiver: Receiver;
export let others: Receiver;
export let story: Storyteller;

export const newHarnessForEach = (): void => {
  beforeEach(async () => {
    bench = await Workbench.open();
    receiver = await new Receiver().open();
    others = await new Receiver().open();
    story = new Storyteller(bench.log);
  });
  afterEach(async () => {
    await receiver.close();
    await others.close();
    await bench.close();
  });
};
