import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Agent, fetch, type buildConnector } from 'undici'
import type { Host } from './host.ts'

export interface HttpRequest {
  method: 'POST' | 'GET'
  headers: Record<string, string>
  body?: string
  signal: AbortSignal
}

export interface HttpAnswer {
  status: number
  headers: { get(name: string): string | null }
  body: AsyncIterable<Uint8Array> | null
}

/** Does not follow redirects; returns them as they are. */
export type Fetch = (url: string, input: HttpRequest) => Promise<HttpAnswer>

interface Outbound {
  fetch: Fetch
  close(): Promise<void>
}

const connectMs = 2_000

/** Connects only to the addresses the service has allowed for the name. Resolving again could give another address (DNS rebinding). */
export const outboundOver = (host: Pick<Host, 'addresses'>): Outbound => {
  const agent = new Agent({ connect: connectorOf(host), headersTimeout: 0, bodyTimeout: 0, maxRedirections: 0 } as Agent.Options)
  return {
    fetch: async (url, { method, headers, body, signal }) =>
      fetch(url, { method, headers, signal, redirect: 'manual', dispatcher: agent, ...(body !== undefined && { body }) }),
    close: () => agent.destroy(),
  }
}

const connectorOf =
  (host: Pick<Host, 'addresses'>): buildConnector.connector =>
  ({ hostname, port, protocol, servername }, callback) => {
    const secure = protocol === 'https:'
    const number = port ? Number(port) : secure ? 443 : 80
    const bare = hostname.replace(/^\[|\]$/g, '')
    host
      .addresses(bare, number)
      .then((addresses) => connectFirst(addresses, number, secure ? (servername ?? bare) : undefined))
      .then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(error as Error, null),
      )
  }

const connectFirst = async (addresses: readonly string[], port: number, name: string | undefined): Promise<Socket> => {
  let failure = new Error('there is no address to connect to')
  for (const address of addresses) {
    try {
      return await connectTo(address, port, name)
    } catch (error) {
      failure = error as Error
    }
  }
  throw failure
}

/** Uses TLS if `name` is given; the certificate must match it. */
const connectTo = (address: string, port: number, name: string | undefined): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const plain = { host: address, port }
    const server = name === undefined || isIP(name) ? {} : { servername: name }
    const socket = name === undefined ? connectTcp(plain) : connectTls({ ...plain, ...server, ALPNProtocols: ['http/1.1'] })
    socket.setTimeout(connectMs, () => socket.destroy(new Error(`no connection within ${connectMs} ms`)))
    socket.setNoDelay(true)
    socket.once('error', reject)
    socket.once(name === undefined ? 'connect' : 'secureConnect', () => {
      socket.setTimeout(0)
      socket.off('error', reject)
      resolve(socket)
    })
  })

/** Text of an answer up to `maxBytes`; `whole` says whether it is complete. */
export const readText = async (body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<{ text: string; whole: boolean }> => {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    pieces.push(piece)
    size += piece.length
    if (size > maxBytes) break
  }
  return { text: Buffer.concat(pieces).subarray(0, maxBytes).toString(), whole: size <= maxBytes }
}
