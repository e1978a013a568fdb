import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '../machine/temporary-folder.ts'

/** A web server on a free port of the loopback address, until the end of the test. Gives host:port. */
export const startLoopbackServer = async (t: Scope, listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return closedWith(t, server)
}

/** Ends a server that listens on the loopback address at the end of the test, with the connections that its clients keep. Gives host:port. */
export const closedWith = (t: Scope, server: Server): string => {
  t.after(() => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    return closed
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
