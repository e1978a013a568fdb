import type { Trunk, ClusterNode } from '#core/kernel/ports/store/operate.ts'
import { stateOf } from './node-state.ts'

/** Carrier file of the edge. `hostsOf`: addresses of a trunk's host, used if it has no address list. */
export const carriersFile = (trunks: readonly Trunk[], hostsOf: (trunkId: string) => readonly string[]): string => {
  const active = trunks.filter((trunk) => trunk.active).toSorted((a, b) => a.settings.priority - b.settings.priority)
  const places = active.flatMap(({ id, settings: { sourceAddresses } }) =>
    (sourceAddresses.length > 0 ? sourceAddresses : hostsOf(id)).map((place) => ({ place, id })),
  )
  return [...Map.groupBy(places, ({ place }) => place)]
    .map(
      ([place, shared]) =>
        `${lineOf(
          place,
          shared.map(({ id }) => id),
        )}\n`,
    )
    .join('')
}

const lineOf = (place: string, trunkIds: readonly string[]): string => {
  const [address = '', bits] = place.split('/')
  return `1 ${address} ${bits ?? (address.includes(':') ? 128 : 32)} 0 ${trunkIds.join(',')}`
}

/**
 * Flag 8: the process is probed for whether it takes calls. With a region, processes of other regions are only in the second group, so they
 * are used when none of the region takes calls.
 */
export const processesFile = (
  nodes: readonly (ClusterNode & { drain: boolean })[],
  { now, region }: { now: number; region?: string | undefined },
): string => {
  const living = nodes.filter((node) => stateOf(node, now) !== 'GONE')
  const here = new Set(living.filter(({ work }) => region === undefined || work.region === region).map(({ sip }) => sip))
  const probed = (sip: string): string => (here.has(sip) ? `1 ${sip} 8 0\n` : '')
  const there = [...new Set(living.map(({ sip }) => sip))].toSorted()
  return there.map((sip) => `${probed(sip)}2 ${sip} 0 0\n`).join('')
}
