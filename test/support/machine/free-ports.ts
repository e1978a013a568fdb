import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Scope } from './temporary-folder.ts'

/** Below the ephemeral ports, and below the default media range. */
const lowest = 10_000
const highest = 19_999
/** Ports are allocated in rows that start at multiples of this, so that rows never overlap. */
const rowLength = 25
const attempts = 500

/**
 * Row of ports on loopback, free for UDP and (except every 25th) TCP. No other test gets them from here while the test runs, including tests in other
 * processes.
 */
export const freePorts = async (t: Scope, count: number): Promise<number> => {
  const rows = Math.ceil((count + 1) / rowLength)
  const places = Math.floor((highest - lowest + 1) / rowLength) - rows
  for (let attempt = 0; attempt < attempts; attempt++) {
    const first = lowest + Math.floor(Math.random() * places) * rowLength
    const guards = await guardRows(first, rows)
    if (guards && (await allFree(first + 1, count))) {
      t.after(() => Promise.all(guards.map(close)))
      return first + 1
    }
    await Promise.all((guards ?? []).map(close))
  }
  throw new Error(`no ${count} free ports in a row`)
}

/** Holds the first port of each row as a lock on the row. */
const guardRows = async (first: number, rows: number): Promise<Server[] | undefined> => {
  const guards = await Promise.all(Array.from({ length: rows }, (_, row) => listen(first + row * rowLength)))
  const held = guards.filter((guard) => guard !== undefined)
  if (held.length === rows) return held
  await Promise.all(held.map(close))
  return undefined
}

const listen = async (port: number): Promise<Server | undefined> => {
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
    if (!(await freeForUdp(port))) return false
    if (port % rowLength === 0) continue
    const tcp = await listen(port)
    if (!tcp) return false
    await close(tcp)
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
