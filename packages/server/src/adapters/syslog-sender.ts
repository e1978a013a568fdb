import type { Socket } from 'node:net'
import { OutboundFailure, type SyslogSender } from '#core/kernel/ports/outbound.ts'
import { checkedConnector, errorCode, refuseBadUrl, wallClock, type OutboundOptions } from './checked-connector.ts'

const deadlineMs = 10_000

/** One connection per batch, octet counting as in RFC 6587 §3.4.1 and RFC 5425 §4.3. */
export const syslogSender = (options: OutboundOptions): SyslogSender => {
  const { clock = wallClock } = options
  const connector = checkedConnector(options)
  const underWay = new Set<Socket>()

  const connect = (url: string): Promise<Socket> => {
    const { hostname, port, protocol } = refuseBadUrl(url, 'tcp', 'tls')
    return new Promise((resolve, reject) => {
      const target = { hostname: hostname.replaceAll(/[[\]]/g, ''), secure: protocol === 'tls:', port: Number(port) }
      connector.connect(target, (failure, socket) => (failure ? reject(failure) : resolve(socket)))
    })
  }

  return {
    async send(url, messages) {
      const socket = await connect(url)
      underWay.add(socket)
      const cancelTimer = clock.after(deadlineMs, () =>
        socket.destroy(new OutboundFailure('timeout', `The server did not close the connection within ${deadlineMs} ms`)),
      )
      try {
        await sendAll(socket, messages)
      } finally {
        cancelTimer()
        underWay.delete(socket)
        socket.destroy()
      }
    },

    async close() {
      connector.close()
      for (const socket of underWay) socket.destroy(new OutboundFailure('aborted', 'The service ends'))
    },
  }
}

/** The server closes its side once it has read everything: syslog has no other acknowledgement. */
const sendAll = (socket: Socket, messages: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('error', (error: Error) =>
      reject(error instanceof OutboundFailure ? error : new OutboundFailure('broken', `The connection broke (${errorCode(error)})`)),
    )
    let isWritten = false
    socket.once('end', () =>
      isWritten ? resolve() : reject(new OutboundFailure('broken', 'The server closed the connection before the last message')),
    )
    socket.resume()
    socket.end(messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join(''), () => (isWritten = true))
  })
