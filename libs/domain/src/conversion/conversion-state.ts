import type { ConversionRecord } from '@refledger/contracts';
import type { ConversionCreated } from './conversion-record.js';

/** A conversion as folded from its events. */
export type ConversionState = { readonly kind: 'none' } | RecordedConversion;

/** A conversion that was recorded, with the data of its first event. */
export interface RecordedConversion {
  readonly kind: 'recorded';
  readonly record: ConversionRecord;
  readonly created: ConversionCreated['data'];
}
