/// <reference types="jest" />
import {
  type Envelope,
  type HookReceiver,
  type ServiceFactory,
  startHookReceiver,
  TestAccount,
  uniqueText,
} from '@refledger/testing';

/** Tests the deliveries of records that are approved immediately. */
export const webhookApprovalsSuite = (service: ServiceFactory): void => {
  describe('a webhook of a record that is approved at once', () => {
    let receiver: HookReceiver;
    let account: TestAccount;
    beforeAll(async () => {
      receiver = await startHookReceiver();
      account = await TestAccount.open(await service());
    });
    afterAll(() => receiver.close());

    /** The two events at a path, in the order of their revisions. */
    const twoAt = async (at: string): Promise<Envelope[]> => {
      const hooks = await receiver.waitFor(at, 2);
      const sent = hooks
        .map(({ envelope }) => envelope)
        .toSorted((a, b) => a.data.revision - b.data.revision);
      const [first = '0', second = '0'] = sent.map(({ position }) => position);
      expect(BigInt(second)).toBeGreaterThan(BigInt(first));
      return sent;
    };
    const asPending = { status: 'pending', approved_at: null, revision: 0 };

    it('shows an affiliate as pending and then as approved', async () => {
      const at = `/${uniqueText('hook')}`;
      await account.subscribe(receiver.url(at), ['affiliate.created', 'affiliate.approved']);
      const program = await account.program({ affiliate_approval: 'automatic' });
      const ada = await account.affiliate({ program_id: program.id });
      expect(await twoAt(at)).toMatchObject([
        { type: 'affiliate.created', data: { ...ada, ...asPending } },
        { type: 'affiliate.approved', data: ada },
      ]);
    });

    it('shows a conversion as pending and then as approved', async () => {
      const at = `/${uniqueText('hook')}`;
      await account.subscribe(receiver.url(at), ['conversion.created', 'conversion.approved']);
      const program = await account.program({
        affiliate_approval: 'automatic',
        conversion_approval: 'automatic',
      });
      const ada = await account.affiliate({ program_id: program.id });
      const sale = await account.conversion(ada.id);
      expect(await twoAt(at)).toMatchObject([
        { type: 'conversion.created', data: { ...sale, ...asPending } },
        { type: 'conversion.approved', data: sale },
      ]);
    });
  });
};
