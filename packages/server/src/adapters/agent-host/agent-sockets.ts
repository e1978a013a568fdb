import type { Clock } from '#core/kernel/ports/platform.ts'
import type { OutboundSocket, OutboundSockets, SocketObserver, SocketRequest } from '#core/kernel/ports/outbound.ts'
import { readAssistantAddress, type AssistantAddress } from '#core/kernel/webhook/web-address.ts'
import type { AgentHost, AgentPlace } from './agent-host.ts'

export interface AgentSocketsDeps {
  agent: Pick<AgentHost, 'reach'>
  clock: Pick<Clock, 'after'>
  /** Opens WebSockets to this address only. */
  socketsTo: (address: string) => OutboundSockets
  /** Called with the assistant before it is connected. */
  announce: (address: AssistantAddress) => void
}

const none = 'No version of the assistant has been published'

/**
 * Built-in assistants are reached like the endpoints of customers, at an address that customers cannot use and that the egress rules
 * forbid, by a separate client.
 */
export const withAgent = (sockets: OutboundSockets, { agent, clock, socketsTo, announce }: AgentSocketsDeps): OutboundSockets => {
  /** By port: each start of the agent has another. */
  let client: { port: number; sockets: OutboundSockets } | undefined
  const clientFor = ({ port }: AgentPlace): OutboundSockets => {
    if (client?.port === port) return client.sockets
    void client?.sockets.close()
    client = { port, sockets: socketsTo(`127.0.0.1:${port}`) }
    return client.sockets
  }
  return {
    connect(input, observer) {
      const address = readAssistantAddress(input.url)
      if (!address) return sockets.connect(input, observer)
      if (address.choice === 'none') return refused(observer, none)
      announce(address)
      const connecting = new Connecting(observer)
      const inTime = clock.after(input.handshakeMs, () => connecting.fail('The assistant is still being started'))
      agent
        .reach()
        .then(
          (place) => connecting.begin((heard) => clientFor(place).connect(requestFor(input, address, place), heard)),
          (error: unknown) => connecting.fail((error as Error).message),
        )
        .finally(inTime)
      return connecting
    },
    close: async () => client?.sockets.close(),
  }
}

const requestFor = (input: SocketRequest, { flowId, choice, test }: AssistantAddress, { port, key }: AgentPlace): SocketRequest => ({
  ...input,
  url: `ws://127.0.0.1:${port}/${flowId}/${choice}${test === undefined ? '' : `?test=${encodeURIComponent(test)}`}`,
  headers: { ...input.headers, 'x-api-key': key },
})

const refused = (observer: SocketObserver, message: string): OutboundSocket => {
  const connecting = new Connecting(observer)
  queueMicrotask(() => connecting.fail(message, true))
  return connecting
}

/** A connection whose address is still unknown. Sending is impossible before it is open. */
class Connecting implements OutboundSocket {
  readonly #observer: SocketObserver
  #socket: OutboundSocket | undefined
  #ended = false

  constructor(observer: SocketObserver) {
    this.#observer = observer
  }

  begin(connect: (observer: SocketObserver) => OutboundSocket): void {
    if (!this.#ended) this.#socket = connect(this.#observer)
  }

  fail(message: string, final = false): void {
    if (this.#ended) return
    this.#ended = true
    this.#observer.closed({ opened: false, message, ...(final && { refused: true }) })
  }

  send(text: string): void {
    this.#socket?.send(text)
  }

  sendBytes(bytes: Buffer): void {
    this.#socket?.sendBytes(bytes)
  }

  ping(data: string): void {
    this.#socket?.ping(data)
  }

  pause(): void {
    this.#socket?.pause()
  }

  resume(): void {
    this.#socket?.resume()
  }

  close(): void {
    if (this.#socket) this.#socket.close()
    else this.fail('The connection was closed')
  }

  destroy(): void {
    if (this.#socket) this.#socket.destroy()
    else this.fail('The connection was closed')
  }
}
