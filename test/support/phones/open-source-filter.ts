import { SourceFilter } from '#adapters/telephony/guard/source-filter.ts'
import { networks } from '#adapters/telephony/transport/networks.ts'
import type { Flow, TransportKind } from '@offhook/sip/transport/transport.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'

export const message = (text: string): Uint8Array => Buffer.from(text.replaceAll('\n', '\r\n'))
/** Unauthenticated request. */
const options = message('OPTIONS sip:a@example.org SIP/2.0\nVia: SIP/2.0/UDP x\nUser-Agent: Phone 1.0\n\n')

export const at = (address: string, kind: TransportKind = 'udp', port = 5060): Flow => ({ kind, address, port })
export const office = at('192.0.2.1')

/** Seeded, so that sources get the same table slots in every run. */
const seeded = () => {
  let state = 1
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

/** The source filter in virtual time, with its reports. */
export const openDoorman = (trusted: readonly string[] = [], trunks: readonly string[] = []) => {
  const clock = new VirtualClock()
  const bans: string[] = []
  const floods: string[] = []
  const shed: number[] = []
  const sourceFilter = new SourceFilter({
    clock,
    trusted: networks(trusted),
    isTrunk: networks(trunks),
    random: seeded(),
    onBan: (address, why) => bans.push(`${address}: ${why}`),
    onFlood: (address) => floods.push(address),
    onUnprovenFlood: (dropped) => shed.push(dropped),
  })
  const admitted = (count: number, from = office, what = options): number =>
    Array.from({ length: count }, () => sourceFilter.admits(what, from)).filter(Boolean).length
  const tries = (count: number, from = office): boolean[] =>
    Array.from({ length: count }, (_, index) => sourceFilter.mayTryPassword(from, `e${index}`))
  /** New source ports of one address for each message, as in a forged flood. */
  const spray = (count: number, address = office.address): number =>
    Array.from({ length: count }, (_, index) => sourceFilter.admits(options, at(address, 'udp', 10_000 + index))).filter(Boolean).length
  return { clock, sourceFilter, bans, floods, shed, admitted, spray, tries }
}
