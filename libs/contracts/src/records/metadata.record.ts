import { z } from 'zod';

/** Metadata in an answer or an event: pairs of text. */
export const metadataRecordSchema = z.record(z.string(), z.string());
