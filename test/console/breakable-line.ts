import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Scope } from '#test/machine/temporary-folder.ts'

export interface BreakableLine {
  /** URL of the service behind it. */
  http: string
  /** Drops all WebSockets silently on both sides. */
  breakSockets(): void
  /** Number of WebSockets opened so far. */
  opened(): number
}

/** Proxy to the service that breaks connections on request. */
export const breakableLine = async (t: Scope, http: string): Promise<BreakableLine> => {
  const { hostname, port } = new URL(http)
  const sockets = new Set<Socket>()
  const all = new Set<Socket>()
  let opened = 0
  const server = createServer((client) => {
    const service = connect(Number(port), hostname)
    const end = (): void => {
      for (const side of [client, service]) side.destroy()
    }
    for (const side of [client, service]) {
      all.add(side)
      side.on('error', end).on('close', end)
    }
    client.on('data', (data) => {
      if (!/^upgrade: websocket/im.test(data.toString('latin1'))) return
      sockets.add(client)
      opened += 1
    })
    client.pipe(service).pipe(client)
  })
  t.after(() => {
    for (const side of all) side.destroy()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    http: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakSockets: () => {
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    opened: () => opened,
  }
}
