import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Scope } from '../machine/temporary-folder.ts'

/** Web server on a free loopback port until the end of the test. Returns host:port. */
export const startLoopbackServer = async (t: Scope, listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return closedWith(t, server)
}

/** Closes a loopback server at the end of the test, with all its connections, including WebSockets. Returns host:port. */
export const closedWith = (t: Scope, server: Server): string => {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  t.after(() => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of open) socket.destroy()
    return closed
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
