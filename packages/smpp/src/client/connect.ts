import { connect as connectTcp, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface SmppConnectOptions {
  host: string
  port: number
  tls: boolean
  /** TLS: the certificate authority to trust, in PEM; the usual ones unless given. */
  ca?: string
}

/** Connects to an SMSC; rejects when that takes longer than `timeoutMs` or is aborted. TLS only with a good certificate for `host`. */
export const connectSmpp = (options: SmppConnectOptions, signal: AbortSignal, timeoutMs = 10_000): Promise<Socket> => {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = options.tls ? openTls(options) : connectTcp({ host: options.host, port: options.port })
  const giveUp = (): void => void socket.destroy(new Error('The connection was given up'))
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`No connection within ${timeoutMs} ms`)))
  socket.once('error', reject)
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp)
  socket.once('close', () => signal.removeEventListener('abort', giveUp))
  socket.once(options.tls ? 'secureConnect' : 'connect', () => {
    socket.setTimeout(0)
    signal.removeEventListener('abort', giveUp)
    resolve(socket)
  })
  return promise
}

const openTls = ({ host, port, ca }: SmppConnectOptions): Socket =>
  connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) })
