import { eventually, expectStatus, type ApiClient, type Endpoint } from '@refledger/testing';

/** Reads an endpoint with its counts, which are null while the delivery store is slow. */
export const countedEndpoint = (api: ApiClient, id: string): Promise<Endpoint> =>
  eventually(async () => {
    const endpoint = expectStatus(200, await api.get<Endpoint>(`/v1/webhooks/${id}`));
    expect([endpoint.waiting, endpoint.held]).not.toContain(null);
    return endpoint;
  });
