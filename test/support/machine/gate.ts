import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Scope } from './temporary-folder.ts'

/** Closable proxy to another program: when closed nothing listens there, and open connections are dropped. */
export interface Gate {
  readonly port: number
  shut(): Promise<void>
  open(): Promise<void>
}

export const gateTo = async (t: Scope, target: number): Promise<Gate> => {
  const sockets = new Set<Socket>()
  const pass = (from: Socket): void => {
    const to = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }
  let server: Server | undefined
  let port = 0
  const open = async (): Promise<void> => {
    server = createServer(pass).listen(port, '127.0.0.1')
    await once(server, 'listening')
    ;({ port } = server.address() as AddressInfo)
  }
  const shut = async (): Promise<void> => {
    const closed = new Promise((resolve) => server?.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await open()
  t.after(async () => server?.listening && (await shut()))
  return { port, shut, open }
}
