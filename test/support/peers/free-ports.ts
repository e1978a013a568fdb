import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Scope } from '../databases.ts'

/** Below what the kernel gives out itself, and below the range that media uses by default. */
const lowest = 10_000
const highest = 19_999
const attempts = 200

/** A row of ports on loopback, free for UDP and TCP. Nobody else gets them from here while the test runs, in other processes neither. */
export const freePorts = async (t: Scope, count: number): Promise<number> => {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest - count))
    const guard = await guarded(first)
    if (!guard) continue
    if (await allFree(first + 1, count)) {
      t.after(() => close(guard))
      return first + 1
    }
    await close(guard)
  }
  throw new Error(`no ${count} free ports in a row`)
}

/** The port before the row is held, as the sign that the row is taken. */
const guarded = async (port: number): Promise<Server | undefined> => {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true })
  server.unref()
  return once(server, 'listening').then(
    () => server,
    () => undefined,
  )
}

const close = async (server: Server): Promise<void> => {
  server.close()
  await once(server, 'close')
}

const allFree = async (first: number, count: number): Promise<boolean> => {
  for (let port = first; port < first + count; port++) {
    const tcp = await guarded(port)
    if (!tcp) return false
    await close(tcp)
    if (!(await freeForUdp(port))) return false
  }
  return true
}

const freeForUdp = async (port: number): Promise<boolean> => {
  const socket = createSocket('udp4')
  socket.bind({ port, address: '127.0.0.1', exclusive: true })
  return once(socket, 'listening').then(
    async () => {
      socket.close()
      await once(socket, 'close')
      return true
    },
    () => false,
  )
}
