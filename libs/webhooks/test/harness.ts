import { EventWriter } from '@refledger/event-bus/conformance';
import { Receiver } from './receiver.js';
import { Workbench } from './workbench.js';

/** The workbench of the running test, from `newHarnessForEach`. */
export let bench: Workbench;
/** The receiver of the running test. */
export let receiver: Receiver;
/** A second receiver, for other endpoints. */
export let others: Receiver;
export let writer: EventWriter;

/** Opens all of these before each test, and closes them after it. */
export const newHarnessForEach = (): void => {
  beforeEach(async () => {
    bench = await Workbench.open();
    receiver = await new Receiver().open();
    others = await new Receiver().open();
    writer = new EventWriter(bench.log);
  });
  afterEach(async () => {
    await receiver.close();
    await others.close();
    await bench.close();
  });
};
