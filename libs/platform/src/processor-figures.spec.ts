import type { Position } from '@refledger/contracts';
import { newMetrics } from './metrics.js';
import { measureProcessor, type StandbyStatus } from './processor-figures.js';

const status: StandbyStatus = {
  state: 'live',
  standingBy: false,
  position: '7' as Position,
  head: '9' as Position,
  lagSeconds: 1,
};

it('shows the position and the lag of a processor, and neither of a standby', async () => {
  const metrics = newMetrics();
  const figures = async (now: StandbyStatus) => {
    measureProcessor(metrics, 'relay', now);
    const position = (await metrics.processorPosition.get()).values;
    const [behind] = (await metrics.processorLagPositions.get()).values;
    return [position.map(({ value }) => value), behind?.value];
  };
  expect(await figures(status)).toEqual([[7], 2]);
  expect(await figures({ ...status, standingBy: true })).toEqual([[], 0]);
  expect(await figures({ ...status, position: undefined })).toEqual([[0], 9]);
});
