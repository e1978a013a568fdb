import { isIP } from 'node:net'
import type { Request } from '@offhook/sip/message/message.ts'
import type { Flow, TransportKind } from '@offhook/sip/transport/transport.ts'

const kinds: readonly string[] = ['udp', 'tcp', 'tls', 'ws', 'wss'] satisfies TransportKind[]

/** `ws:203.0.113.7:5060`, `udp:[2001:db8::7]:5060`; undefined for anything else. */
export const readFlow = (text: string): Flow | undefined => {
  const match = /^([a-z]{2,3}):\[?([0-9a-f.:]+?)\]?:(\d{1,5})$/i.exec(text.trim())
  const [kind = '', address = '', port] = [match?.[1]?.toLowerCase(), match?.[2], Number(match?.[3])]
  return kinds.includes(kind) && isIP(address) !== 0 && port <= 65_535 ? { kind: kind as TransportKind, address, port } : undefined
}

export const writeFlow = ({ kind, address, port }: Flow): string => `${kind}:${address.includes(':') ? `[${address}]` : address}:${port}`

/**
 * Our SIP proxy in front of all processes. It ends the phones’ connections, so it alone knows where a request came from, and which carrier sent it;
 * what anybody else says about that is not read.
 */
export class Edge {
  readonly #holds: (address: string) => boolean

  constructor(holds: (address: string) => boolean) {
    this.#holds = holds
  }

  isAt({ address }: Flow): boolean {
    return this.#holds(address)
  }

  /** Where a request really came from. */
  sourceOf(request: Request, from: Flow): Flow {
    return (this.isAt(from) && readFlow(request.header('x-offhook-edge') ?? '')) || from
  }

  /** The trunks that have the address which the edge saw, the preferred first; none for all but carriers. */
  trunksOf(request: Request, from: Flow): readonly string[] {
    if (!this.isAt(from)) return []
    return (request.header('x-offhook-trunk') ?? '').split(',').flatMap((id) => id.trim() || [])
  }
}
