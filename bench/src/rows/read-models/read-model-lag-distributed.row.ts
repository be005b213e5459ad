import { readModelLags } from '../../measures/read-model-lag.js';
import { separateServicesRow } from '../separate-services.js';

const perSecond = 10;

/** The lag of the five services' read models behind their writes. */
export const readModelLagDistributed = separateServicesRow({
  name: 'read-model-lag-distributed',
  title: `read model lag of five services at ${perSecond} writes/s`,
  perSecond,
  open: readModelLags,
});
