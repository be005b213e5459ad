import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventSchemas, isObject } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { decodeEvent, openEventLog, type LoggedEvent } from '@refledger/event-log';
import { startStandalone } from '@refledger/testing';
import { z } from 'zod';
import { compareResponses, ofLog } from '../src/formats/compare-responses.js';
import { copyData, fixtureReleases, loadFixture, type Fixture } from '../src/formats/fixture.js';
import { appendHistory, headOf, logLinesOf, type LogLine } from '../src/formats/log-lines.js';
import { readApi, type Responses } from '../src/formats/read-api.js';
import { settingsOf } from './opened-fixture.js';

/** An event with a field that no release has had. */
const withUnknownField = (line: LogLine): LogLine =>
  isObject(line.data) && !line.type.startsWith('balance.')
    ? { ...line, data: { ...line.data, made_up: 'of a later release' } }
    : line;

describe.each(fixtureReleases())('events of release %s', (release) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await loadFixture(release);
  });

  /** The data of each event as decoding supplies it, with its schema. */
  const decoded = () =>
    logLinesOf(fixture.history).map((line) => {
      const { type, data } = decodeEvent({ ...line, position: '1' } as LoggedEvent);
      return { type, data, schema: eventSchemas.get(type) };
    });

  it('conform to the schemas of this build', () => {
    for (const { type, data, schema } of decoded())
      expect({ type, issues: schema?.safeParse(data).error?.issues }).toEqual({ type });
  });

  it('would do so after one more field was added', () => {
    const made_up = z.string().default('absent');
    for (const { data, schema } of decoded())
      if (schema instanceof z.ZodObject)
        expect(schema.extend({ made_up }).parse(data)).toEqual({
          ...(data as object),
          made_up: 'absent',
        });
  });

  it('are read as before if a later release has added a field that this build does not know', async () => {
    const found = await readFrom(fixture, withUnknownField);
    expect(compareResponses(ofLog(fixture.expected), ofLog(found))).toEqual([]);
  });
});

/** Starts a service on a new log with the changed events, and the keys of the fixture. */
const readFrom = async (
  { release, manifest, history }: Fixture,
  change: (line: LogLine) => LogLine,
): Promise<Responses> => {
  const directory = await mkdtemp(join(tmpdir(), 'refledger-changed-'));
  try {
    const [original, dataDir] = [join(directory, 'original'), join(directory, 'data')];
    await copyData(release, original);
    await mkdir(dataDir, { mode: 0o700 });
    const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'write' });
    const changed = logLinesOf(history).map((line) => JSON.stringify(change(line)));
    await appendHistory(log, changed.join('\n')).finally(() => log.close());
    await copyFile(join(original, 'personal-keys.db'), join(dataDir, 'personal-keys.db'));
    const env = settingsOf(manifest, join(directory, 'clock'));
    const service = await startStandalone({ dataDir, env });
    try {
      const position = await headOf(dataDir);
      return await readApi({ baseUrl: service.baseUrl, position, manifest, isOfLog: true });
    } finally {
      await service.kill();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};
