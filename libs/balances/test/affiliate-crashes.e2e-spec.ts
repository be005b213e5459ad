import { count, Random, testSeed } from '@refledger/testing';
import { CrashingService } from './affiliate-crashes/crashing-service.js';

const kills = count(200, 1_000);

it(`after each of ${kills} kills while affiliates are created and erased, the laws hold`, async () => {
  let [killed, halfErased] = [0, 0];
  for (let part = 0; killed < kills; part++) {
    const service = await CrashingService.start(new Random(testSeed).fork(`${part}`));
    for (let round = 0; round < 8; round++) await service.round();
    killed += service.kills;
    halfErased += service.halfErased;
  }
  expect(halfErased).toBeGreaterThan(0);
});
