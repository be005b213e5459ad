import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventSchemaVersion, logFormat } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import { projections } from '@refledger/projections';
import { startService } from '../service/service.js';
import { affiliatesOf, type DataSetSpec } from './data-set-spec.js';
import { storedKeys } from './data-set-keys.js';
import { writeDataSet, type KnownDataSet } from './write-data-set.js';

/**
 * A data set in a directory on which the service can be started, with its read models built. Rows
 * only read it.
 */
export interface DataSet extends KnownDataSet {
  readonly directory: string;
}

/** Raise this when the same spec makes different events than before. */
const dataSetVersion = 3;

/** The data sets that rows read. Each is made when it is first needed, and kept for later runs. */
export class DataSets {
  constructor(
    private readonly directory: string,
    private readonly report: (line: string) => void,
  ) {}

  async get(conversions: number): Promise<DataSet> {
    const spec = specOf(conversions);
    const directory = join(this.directory, `${conversions}-conversions-${keyOf(spec)}`);
    if (!existsSync(directory)) await this.make(directory, spec);
    // Decoding boundary: only `make` writes this file, once the data set is complete.
    return {
      directory,
      ...(JSON.parse(await readFile(join(directory, knownFile), 'utf8')) as KnownDataSet),
    };
  }

  /**
   * Makes a data set under another name, so that an interrupted one is never taken for a complete
   * one.
   */
  private async make(directory: string, spec: DataSetSpec): Promise<void> {
    const unfinished = `${directory}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true });
    const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, {
      dataDir: unfinished,
      mode: 'write',
    });
    const reported = (made: number): void =>
      this.report(`creating a data set of ${spec.conversions} conversions: ${made}`);
    const known = await storedKeys(unfinished, log, affiliatesOf(spec))
      .then((keys) => writeDataSet(log, spec, reported, keys))
      .finally(() => log.close());
    this.report(`building the read models of ${spec.conversions} conversions`);
    const service = await startService(unfinished);
    await service.caughtUp().finally(() => service.close());
    await writeFile(join(unfinished, knownFile), JSON.stringify(known));
    await rename(unfinished, directory);
  }
}

/**
 * One affiliate per hundred conversions, but at least 20. The biggest affiliate has a tenth of all
 * conversions, or more.
 */
export const specOf = (conversions: number): DataSetSpec => ({
  seed: 5,
  conversions,
  affiliates: Math.max(20, Math.round(conversions / 100)),
  programs: 5,
});

const knownFile = 'known.json';

/** The service would rebuild read models of other versions while a row measures it. */
const readModels = projections.map(({ name, version }) => [name, version]);

const keyOf = (spec: DataSetSpec): string =>
  createHash('sha256')
    .update(JSON.stringify([dataSetVersion, logFormat, eventSchemaVersion, readModels, spec]))
    .digest('hex')
    .slice(0, 8);
