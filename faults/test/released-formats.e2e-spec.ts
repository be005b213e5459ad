import { eventSchemas } from '@refledger/contracts';
import { compareResponses } from '../src/formats/compare-responses.js';
import { fixtureReleases, loadFixture } from '../src/formats/fixture.js';
import { logLinesOf } from '../src/formats/log-lines.js';
import type { Responses } from '../src/formats/read-api.js';
import { openFixture, type OpenedFixture } from './opened-fixture.js';

/** The event types that were added after the newest fixture was recorded. */
const newerTypes: readonly string[] = [];

describe.each(fixtureReleases())('data of release %s', (release) => {
  let opened: OpenedFixture;
  beforeAll(async () => {
    opened = await openFixture(release);
  });

  it('reads as its own release read it', () => {
    expect(compareResponses(opened.fixture.expected, opened.found)).toEqual([]);
  });

  it('is not taken for equal if one amount differs', () => {
    // Given an expectation in which each response with an amount has one that is different.
    const { doctored, responses } = withOtherAmounts(opened.fixture.expected);
    expect(responses).toBeGreaterThan(5);
    // Then each is found.
    expect(compareResponses(doctored, opened.found)).toHaveLength(responses);
  });

  it('keeps the keys of personal data, and who was erased', () => {
    const [before, after] = opened.keys;
    expect(after).toEqual(before);
    expect(before?.some(({ kind }) => kind === 'erased')).toBe(true);
  });

  it('agrees with ops verify', () => {
    for (const { code, printed } of opened.verified)
      expect({ code, printed }).toEqual({ code: 0, printed });
  });
});

it('has every type of event that its release knew', async () => {
  const newest = await loadFixture(fixtureReleases().at(-1) ?? '');
  const recorded = new Set(logLinesOf(newest.history).map(({ type }) => type));
  const types = [...eventSchemas.keys()];
  expect(types.filter((type) => !recorded.has(type))).toEqual(newerTypes);
});

/** Changes the first amount of each response that has one. */
const withOtherAmounts = (expected: Responses): { doctored: Responses; responses: number } => {
  let responses = 0;
  const doctored = Object.entries(expected).map(([path, response]): [string, unknown] => {
    let isChanged = false;
    const text = JSON.stringify(response, (name, value: unknown) => {
      if (isChanged || !/amount$|^earned$/.test(name) || typeof value !== 'number') return value;
      isChanged = true;
      return value + 1;
    });
    if (isChanged) responses++;
    return [path, JSON.parse(text) as unknown];
  });
  return { doctored: Object.fromEntries(doctored), responses };
};
