import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import type { TestContext } from 'node:test'
import { outboundHttp, type Lookup } from '#adapters/outbound-http.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { OutboundFailure, type OutboundRequest } from '#core/kernel/ports/outbound.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'

interface Target {
  port: number
  url: string
  connections: number
  closed: Promise<void>[]
}

export const listen = async (t: TestContext, server: Server, host = '127.0.0.1'): Promise<Target> => {
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const target: Target = { port, url: `http://${host}:${port}`, connections: 0, closed: [] }
  const open = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => {
    target.connections++
    open.add(socket)
    target.closed.push(new Promise((resolve) => void socket.once('close', () => resolve())))
    socket.on('error', () => {})
  })
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return target
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown
export const httpTarget = (t: TestContext, handler: Handler, host?: string) =>
  listen(
    t,
    createHttpServer({ keepAliveTimeout: 600_000 }, (request, response) => void handler(request, response)),
    host,
  )

/** Must never be reached. */
export const canary = (t: TestContext) => httpTarget(t, (_, response) => response.end('reached'))

/** Virtual time by default: nothing is late because the machine is slow. */
export const doorway = (t: TestContext, allow: string[] = [], lookup?: Lookup, clock: Pick<Clock, 'after'> = new VirtualClock()) => {
  const door = outboundHttp({ allow, clock, ...(lookup && { lookup }) })
  t.after(() => door.close())
  return (url: string, more: Partial<OutboundRequest> = {}) =>
    door.request({ method: 'GET', url, deadlineMs: 10_000, maxBytes: 1_000_000, ...more })
}

export const resolvesTo =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

export const failsAs =
  (...kinds: OutboundFailure['kind'][]) =>
  (error: unknown) => {
    assert.ok(error instanceof OutboundFailure, String(error))
    assert.ok(kinds.includes(error.kind), `${error.kind}: ${error.message}`)
    return true
  }
