import type { Endpoint } from '../simulate/endpoint-line.ts'
import { socketEndpoint } from './socket-endpoint.ts'
import { webhookEndpoint } from './webhook-endpoint.ts'

/** As a flow has them set. */
export interface EndpointOptions {
  secret?: string | undefined
  apiKey?: string | undefined
}

/** An endpoint as flows know it: `ws:` and `wss:` are WebSockets, `http:` and `https:` webhooks. */
export const endpointAt = (url: string, options: EndpointOptions = {}): Endpoint<unknown> => {
  const { protocol } = new URL(url)
  if (protocol === 'ws:' || protocol === 'wss:') return socketEndpoint(url, options)
  if (protocol === 'http:' || protocol === 'https:') return webhookEndpoint(url, options)
  throw new TypeError(`${protocol} is no address of an endpoint: http, https, ws or wss`)
}
