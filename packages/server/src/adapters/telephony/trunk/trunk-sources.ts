import type { Trunk } from '#core/kernel/ports/store/operate/trunks.ts'
import type { Flow, TransportKind } from '@offhook/sip/transport/transport.ts'
import { networks } from '../transport/networks.ts'

export interface TrunkSource {
  trunk: Trunk
  /** Where its host is now; what counts when no source addresses are set. */
  hostAddresses: readonly string[]
}

interface Rule {
  trunk: Trunk
  holds: (address: string) => boolean
}

/** How hard it is to pretend to come from somewhere else. No trunk is a browser. */
const strength: Readonly<Record<TransportKind, number>> = { ws: -1, wss: -1, udp: 0, tcp: 1, tls: 2 }
const needed = { UDP: strength.udp, TCP: strength.tcp, TLS: strength.tls } as const

/** Tells by its source which trunk a request comes from. */
export class TrunkSources {
  #rules: readonly Rule[] = []

  set(sources: readonly TrunkSource[]): void {
    this.#rules = sources
      .toSorted((a, b) => a.trunk.settings.priority - b.trunk.settings.priority)
      .map(({ trunk, hostAddresses }) => {
        const { sourceAddresses } = trunk.settings
        return { trunk, holds: networks(sourceAddresses.length > 0 ? sourceAddresses : hostAddresses) }
      })
  }

  holds(address: string): boolean {
    return this.#rules.some((rule) => rule.holds(address))
  }

  /** When several carriers' accounts share an address, the one that is called by its user name (our Contact there) comes first. */
  find(from: Flow, calledUser?: string): Trunk | undefined {
    return this.#called(from.kind, calledUser, ({ holds }) => holds(from.address))
  }

  /** The same, where our edge has looked at the address already. */
  among(ids: readonly string[], kind: TransportKind, calledUser?: string): Trunk | undefined {
    return this.#called(kind, calledUser, ({ trunk }) => ids.includes(trunk.id))
  }

  #called(kind: TransportKind, user: string | undefined, may: (rule: Rule) => boolean): Trunk | undefined {
    const matching = this.#rules.filter((rule) => strength[kind] >= needed[rule.trunk.settings.transport] && may(rule))
    const named = matching.find(({ trunk }) => trunk.settings.username !== '' && trunk.settings.username === user)
    return (named ?? matching[0])?.trunk
  }
}
