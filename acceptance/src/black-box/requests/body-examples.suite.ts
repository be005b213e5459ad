/// <reference types="jest" />
import {
  ApiClient,
  type ApiResponse,
  eventually,
  expectStatus,
  type HookReceiver,
  type PayoutRun,
  type ServiceFactory,
  startHookReceiver,
  TestAccount,
} from '@refledger/testing';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name?: string;
    readonly in?: string;
    readonly schema?: { readonly examples?: readonly string[] };
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: object }>>;
  };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** A request with the ids of the document, each of which stands for a record. */
interface Example {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string;
  /** The beginnings of the ids. */
  readonly needs: readonly string[];
}

/**
 * Sends the example of each body in the OpenAPI document, once the records that it names are made.
 * Each of these records is the response to another example.
 */
export const bodyExamplesSuite = (service: ServiceFactory): void => {
  describe('the examples of bodies', () => {
    let account: TestAccount;
    let operator: ApiClient;
    let receiver: HookReceiver;
    beforeAll(async () => {
      const { baseUrl, adminKey } = await service();
      account = await TestAccount.open({ baseUrl, adminKey });
      operator = await ApiClient.connect({ baseUrl }, adminKey);
      receiver = await startHookReceiver();
    });
    afterAll(() => receiver.close());

    /** The ids of the records that were made, by their beginnings. */
    const made = new Map<string, string>();
    /** Resolves once the operation can succeed, apart from the records that its example names. */
    const prepare = async (id: string): Promise<void> => {
      if (id === 'createPayout') await account.adjustment(made.get('aff_') ?? '');
      if (id === 'updatePayoutRun')
        await eventually(async () => {
          const run = await account.api.get<PayoutRun>(`/v1/payout-runs/${made.get('run_')}`);
          expect(run.body.status).toBe('finished');
        });
    };
    const filled = (text: string): string =>
      text
        .replace(placeholders, (id) => made.get(prefixOf(id)) ?? id)
        .replaceAll('https://shop.example.com/hooks', receiver.url('/hooks'));

    const send = async ({ id, method, path, type, body }: Example): Promise<void> => {
      await prepare(id);
      const api = id === 'createAccount' ? operator : account.api;
      const response: ApiResponse = await api.send(method, filled(path), {
        body: `${filled(body)}\n`,
        headers: { 'content-type': type },
      });
      const { status, text } = response;
      // an import refuses a line with status 200
      const isAccepted = status < 300 && !text.includes('"problem"');
      expect({ id, isAccepted, text }).toEqual({ id, isAccepted: true, text });
      const record = idOf(response.body);
      if (record !== undefined) made.set(prefixOf(record), record);
    };

    it('are accepted', async () => {
      const document = expectStatus(200, await operator.get<Document>('/openapi.json'));
      let left = examplesIn(document);
      expect(left.length).toBeGreaterThan(20);
      while (left.length > 0) {
        const ready = left.find(({ needs }) => needs.every((prefix) => made.has(prefix)));
        if (ready === undefined) break;
        await send(ready);
        left = left.filter((example) => example !== ready);
      }
      expect(left).toEqual([]);
    });
  });
};

/**
 * An id of the document: of a program as a client chose it, or in the form of the service's ids.
 */
const placeholders = /prog_spring|[a-z]+_0{25}1/g;

const prefixOf = (id: string): string => id.slice(0, id.indexOf('_') + 1);

const idOf = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string'
    ? body.id
    : undefined;

const examplesIn = ({ paths }: Document): readonly Example[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, parameters, requestBody }]) =>
      Object.entries(requestBody?.content ?? {}).map(([type, { example }]) => {
        if (example === undefined) throw new Error(`${operationId} has no example of its body`);
        const address = path.replace(/\{(\w+)\}/g, (parameter, name: string) => {
          const { schema } = parameters.find((each) => each.name === name) ?? {};
          return schema?.examples?.[0] ?? parameter;
        });
        const body = JSON.stringify(example);
        const own = idOf(example);
        const named = `${address} ${body}`.match(placeholders) ?? [];
        const needs = named.filter((id) => id !== own).map(prefixOf);
        return { id: operationId, method: method.toUpperCase(), path: address, type, body, needs };
      }),
    ),
  );
