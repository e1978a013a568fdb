import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { Transports, type TransportsOptions } from '#adapters/telephony/transport/transports.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'

export const sip = (text: string): Buffer => Buffer.from(text.replaceAll('\n', '\r\n'))
export const ping = sip('OPTIONS sip:a@b SIP/2.0\nVia: SIP/2.0/TCP x;branch=z9hG4bK1\nContent-Length: 0\n\n')
export const reply = sip('SIP/2.0 200 OK\nVia: SIP/2.0/TCP x;branch=z9hG4bK1\nContent-Length: 0\n\n')

interface Received {
  text: string
  from: Flow
}

/** Queue of arrivals, awaited in order. */
export class Inbox<T> {
  readonly all: T[] = []
  #wake = () => {}

  put(item: T): void {
    this.all.push(item)
    this.#wake()
  }

  async next(): Promise<T> {
    while (this.all.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.all.shift()!
  }
}

/** All sockets of one machine on loopback; closed after the test. */
export const openTransports = async (t: TestContext, options: Partial<TransportsOptions> = {}) => {
  const clock = new VirtualClock()
  const inbox = new Inbox<Received>()
  const closed = new Inbox<number>()
  const broken = new Inbox<Flow>()
  const transports = await Transports.open({
    clock,
    listen: { host: '127.0.0.1', port: 0 },
    onMessage: (message, from) => inbox.put({ text: Buffer.from(message).toString(), from }),
    onClosed: (connection) => closed.put(connection),
    onBroken: (from) => broken.put(from),
    ...options,
  })
  t.after(async () => {
    await transports.close()
    assert.equal(transports.connections, 0)
    assert.equal(clock.pending(), 0, 'timers are left')
  })
  const port = transports.port('udp') ?? 0
  const send = (message: Uint8Array, to: Flow): Promise<Error> => new Promise((resolve) => transports.send(message, to, resolve))
  return { transports, clock, inbox, closed, broken, port, send }
}
