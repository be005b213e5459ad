import { readModelLags } from '../../service/read-model-lag.js';
import { fourServicesRow } from '../four-services.js';

const perSecond = 10;

/** The lag of the four services' read models behind their writes. */
export const readModelLagDistributed = fourServicesRow({
  name: 'read-model-lag-distributed',
  title: `read model lag of four services at ${perSecond} writes/s`,
  perSecond,
  open: readModelLags,
});
