import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  conversionBody,
  eventually,
  startHookReceiver,
  startStandalone,
  TestAccount,
} from '@refledger/testing';

const page = readFileSync(join(__dirname, '../../../docs/operations.md'), 'utf8');
const rows =
  /<!-- metrics.*-->\n([^]*?)<!-- \/metrics -->/.exec(page)?.[1]?.split('\n').slice(2) ?? [];
const documented = rows
  .filter((row) => row !== '')
  .map((row) => {
    const [, metric = '', type = ''] = row.split(' | ').join('|').split('|');
    return {
      name: metric.trim().replaceAll('`', ''),
      type: type.trim().split(':')[0],
      labels: [...type.matchAll(/`(\w+)`/g)].map(([, label]) => label),
    };
  });

it('docs/operations.md lists exactly the metrics of the service, with types and labels', async () => {
  const service = await startStandalone();
  const receiver = await startHookReceiver();
  try {
    const account = await TestAccount.open(service);
    await account.subscribe(receiver.url('/hooks'), ['conversion.created']);
    const { id } = await account.affiliate();
    for (let n = 0; n < 2; n++) await account.api.post('/v1/conversions', conversionBody(id));
    await receiver.waitFor('/hooks', 2);
    // The dispatcher sets its gauges once a second.
    const text = await eventuallyText(
      `${service.opsUrl}/metrics`,
      /refledger_webhook_attempts_total\{[^]*refledger_webhook_deliveries\{/,
    );
    const exposed = [...text.matchAll(/^# TYPE (refledger_\w+) (\w+)$/gm)].map(
      ([, name = '', type]) => ({
        name,
        type,
        labels: labelsOf(text, name) ?? documented.find((one) => one.name === name)?.labels,
      }),
    );
    // its first affiliate has registered the program, which therefore has no terms
    expect(text).toMatch(/^refledger_conversions_without_terms_total 2$/m);
    const warning = /the sales of program prog_spring earn nothing, because it has no terms/g;
    await eventually(() => expect(service.logs().match(warning)).toHaveLength(1));
    const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
    expect(documented.sort(byName)).toEqual(exposed.sort(byName));
  } finally {
    await service.stop();
    await receiver.close();
  }
});

/**
 * The labels of a metric; undefined while nothing was measured, because a metric without a sample
 * names no label.
 */
const labelsOf = (text: string, name: string): string[] | undefined => {
  const sample = new RegExp(`^${name}(?:_count)?(?:\\{(.*)\\})? `, 'm').exec(text);
  return sample === null
    ? undefined
    : [...(sample[1] ?? '').matchAll(/(\w+)="/g)].map(([, label = '']) => label);
};

const eventuallyText = (url: string, wanted: RegExp): Promise<string> =>
  eventually(async () => {
    const text = await (await fetch(url)).text();
    expect(text).toMatch(wanted);
    return text;
  });
