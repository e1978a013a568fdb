import type { Endpoint, EndpointConnection } from '../simulate/endpoint-line.ts'
import { Unreachable } from './unreachable.ts'

export interface SocketOptions {
  /** The flow's key. */
  apiKey?: string | undefined
  /** How long the connection may take. Default: 3 seconds. */
  handshakeMs?: number
}

/** As Node 22, Bun, Deno and the package ws have it. */
type SocketClass = new (url: string, options: { headers: Record<string, string> }) => WebSocket

/** An endpoint at the address of a WebSocket, which is connected to once per call, as the service does it. */
export const socketEndpoint = (url: string, { apiKey, handshakeMs = 3_000 }: SocketOptions = {}): Endpoint<unknown> => ({
  connect(send, _given, leave = () => {}): EndpointConnection {
    const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey, 'x-api-token': apiKey }
    const socket = new (socketClass())(url, { headers })
    const waiting: string[] = []
    let opened = false
    let left = false
    const gone = (why: string): void => {
      clearTimeout(handshake)
      if (!left) leave(new Unreachable(url, why))
      left = true
    }
    const handshake = setTimeout(() => {
      gone(`no WebSocket within ${handshakeMs} ms`)
      socket.close()
    }, handshakeMs)
    socket.addEventListener('open', () => {
      clearTimeout(handshake)
      opened = true
      for (const frame of waiting.splice(0)) socket.send(frame)
    })
    socket.addEventListener('message', ({ data }) => send(String(data)))
    socket.addEventListener('close', ({ code }) => (code === 1000 ? leave() : gone(opened ? `it has left the call (${code})` : 'refused')))
    return {
      receive: (frame) => (opened ? socket.send(frame) : void waiting.push(frame)),
      close: () => {
        left = true
        clearTimeout(handshake)
        socket.close(1000)
      },
    }
  },
})

/** Node 20 has none of its own; what is loaded only there need not be in bundles for others. */
const socketClass = (): SocketClass => {
  const { WebSocket: found } = globalThis as { WebSocket?: SocketClass }
  return found ?? (process.getBuiltinModule('node:module').createRequire(import.meta.url)('ws') as SocketClass)
}
