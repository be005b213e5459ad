import type { ConversionRecord } from '@refledger/contracts';
import { isDeepStrictEqual } from 'node:util';
import { checkedTargets, type ReadKind } from './read.js';

/** Conversions from all over the data set, to spread the reads over the log and the caches. */
export const readById: ReadKind = {
  name: 'get',
  title: 'GET /v1/conversions/:id',
  targets: (service, { sample }) =>
    checkedTargets<ConversionRecord>(
      service,
      sample.map((record) => [
        `/v1/conversions/${record.id}`,
        (response) => isDeepStrictEqual(response, record),
      ]),
    ),
};
