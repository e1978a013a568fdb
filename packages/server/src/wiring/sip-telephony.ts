import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { addressRules } from '#adapters/address-rules.ts'
import type { SharedTrunkCalls } from '#adapters/telephony/trunk/trunk-calls.ts'
import { SipTelephony } from '#adapters/telephony/sip-telephony.ts'
import { TrunkLeases } from '#core/account/trunks/trunk-leases.ts'
import type { PeerNodes } from '#core/kernel/ports/neighbours.ts'
import type { Sample } from '#core/operate/metrics/families/sample.ts'
import type { PortFigures } from '#media/socket/port-pool.ts'
import { startCommand } from '#places.ts'
import type { Settings } from '#settings/config.ts'
import { addressText, type Address } from '#settings/setting-values.ts'
import { bracketed } from '@offhook/sip/grammar/host.ts'
import { blame, CannotStart } from '#settings/cannot-start.ts'
import { nodeName } from './cluster/bus.ts'
import type { ClusterCounters } from './cluster/cluster-counters.ts'
import { openEngines, type Engines } from './engines.ts'
import type { Platform } from './platform.ts'

/** SIP with the engines that carry its audio and faxes. */
export interface OpenedTelephony {
  telephony: SipTelephony
  /** Resolves when every media thread has answered. */
  answers(): Promise<void>
  /** It is known which process registers with carriers. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface OpenTelephonyDeps {
  settings: Settings
  platform: Platform
  neighbours: PeerNodes
  together: ClusterCounters
  /** How often the trunks' table is looked at, in case it was not heard that another process changed it. */
  readTrunksIntervalMs: number
  refreshWindowMs: number
}

/** Listens when it resolves; calls are taken from `telephony.start()` on. */
export const openTelephony = async (deps: OpenTelephonyDeps): Promise<OpenedTelephony> => {
  const { settings, platform } = deps
  const address = await addressOf(settings.OFFHOOK_SIP)
  const engines = openEngines(address, { settings, ...platform })
  platform.metrics.add(() => portSamples(engines.ports.figures))
  const holding = holdTrunks(deps)
  const telephony = await listen(deps, engines, holding)
  const deaf = [...followTrunks(platform, telephony, holding), followBans(platform, telephony)]
  let closing: Promise<void> | undefined
  const closeAll = async (): Promise<void> => {
    for (const leave of deaf) leave()
    await telephony.close()
    await engines.close()
  }
  const answers = (): Promise<void> => engines.media.answers()
  return { telephony, answers, idle: async () => holding?.idle(), close: () => (closing ??= closeAll()) }
}

/** A database that was away for a moment is no reason to move calls elsewhere. */
const maxAbsenceMs = 2_000

/** Where processes share a database one of them registers with a carrier. */
const holdTrunks = ({ settings, platform: { store, wallClock: clock, log }, neighbours: peerNodes }: OpenTelephonyDeps): TrunkLeases | undefined =>
  settings.DATABASE_URL === undefined
    ? undefined
    : new TrunkLeases({ store, clock, neighbours: peerNodes, onError: (error) => log('trunk_lease_failed', { err: error }) })

const followTrunks = ({ changes }: Platform, telephony: SipTelephony, holding: TrunkLeases | undefined): (() => void)[] => {
  const read = (): void => telephony.readTrunks()
  return [changes.on('trunks', read), changes.onDoubt(read), changes.on('trunkHolders', () => void holding?.look())]
}

/** Who guesses passwords at one process is not listened to by any. */
const bans = 'state.bans'
const followBans = ({ bus }: Platform, telephony: SipTelephony): (() => void) =>
  bus.alone ? () => {} : bus.hear(bans, (source) => telephony.ban(source as string))

const countTrunkCalls = (together: ClusterCounters): SharedTrunkCalls => ({
  calls: together.state('trunks'),
  place: () => together.place,
  begun: (spend) => together.rate('trunks', 0, spend),
})

/** Without the database, and without what calls would be led by meanwhile. Whoever asks often makes sure that it is known in time. */
const isLost = ({ store: { reach }, routing }: Platform): boolean => {
  if (!reach) return false
  void reach.answers()
  return reach.awayMs > maxAbsenceMs && !routing?.leadsCalls
}

const portSamples = ({ all, free, resting, taken, hurried, exhausted }: PortFigures): Sample[] => [
  { name: 'offhook_rtp_ports', value: all },
  { name: 'offhook_rtp_ports_used', value: all - free - resting },
  { name: 'offhook_rtp_ports_free', value: free },
  { name: 'offhook_rtp_ports_resting', value: resting },
  { name: 'offhook_rtp_ports_taken', value: taken },
  { name: 'offhook_rtp_ports_hurried_total', value: hurried },
  { name: 'offhook_rtp_ports_exhausted_total', value: exhausted },
]

const listen = async (
  { settings, platform, together, readTrunksIntervalMs, refreshWindowMs }: OpenTelephonyDeps,
  engines: Engines,
  holding: TrunkLeases | undefined,
): Promise<SipTelephony> => {
  const { callStore: store, wallClock, evenClock, vault, bus, recordingFiles, log } = platform
  const { media, webrtc, fax } = engines
  const { OFFHOOK_SIP: udpAndTcp, OFFHOOK_SIP_TLS: tls, OFFHOOK_SIP_WS: ws } = settings
  const rules = addressRules(settings.OFFHOOK_EGRESS_ALLOW)
  let bansSoFar = 0
  platform.metrics.add(() => [{ name: 'offhook_sip_bans_total', value: bansSoFar }])
  return SipTelephony.open({
    store,
    clock: evenClock,
    wallClock,
    vault,
    media,
    webrtc,
    fax,
    listen: udpAndTcp,
    tls,
    ws,
    certificate: platform.certificates.served,
    refreshWindowMs,
    recordings: recordingFiles,
    place: `${nodeName(settings)} ${bracketed(udpAndTcp.host)}:${udpAndTcp.port}`,
    publicAddress: settings.OFFHOOK_PUBLIC_ADDRESS,
    publicIp: publicIp(settings),
    mayReach: (address, port) => rules.allowsAddress(address, port),
    domain: settings.OFFHOOK_SIP_DOMAIN && domainText(settings.OFFHOOK_SIP_DOMAIN),
    trusted: settings.OFFHOOK_SIP_TRUSTED,
    edge: settings.OFFHOOK_SIP_EDGE,
    digest: settings.OFFHOOK_SIP_DIGEST === 'both' ? ['SHA-256', 'MD5'] : [settings.OFFHOOK_SIP_DIGEST],
    limitLoopback: settings.OFFHOOK_SIP_LIMIT_LOOPBACK,
    country: settings.OFFHOOK_COUNTRY,
    readTrunksIntervalMs,
    isUnwell: () => engines.ports.figures.free + engines.ports.figures.resting === 0 || isLost(platform),
    sharedTrunkCalls: countTrunkCalls(together),
    ...(holding && { trunkHolding: holding }),
    onBan(address, why, source) {
      bansSoFar++
      log('sip_source_banned', { address, why })
      bus.notify(bans, source)
    },
    onFlood: (address) => log('sip_source_flooding', { address }),
    onTrunkChanged: ({ id, name }, state) =>
      log(state.problem === undefined ? 'trunk_changed' : 'trunk_rejected', { trunk: id, name, ...state }),
    onTrunkCall: (call) => platform.measurements.trunkCall(call),
    onError: (error) => log('sip_fault', { err: error }),
  }).catch(explain(settings))
}

/** The system says which address it refused, not which setting that is. */
const explain =
  (settings: Settings) =>
  (error: unknown): never => {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    const names = ['OFFHOOK_SIP', 'OFFHOOK_SIP_TLS', 'OFFHOOK_SIP_WS'] as const
    const name = names.find((each) => settings[each]?.port === port) ?? 'OFFHOOK_SIP'
    const { host } = settings[name] ?? settings.OFFHOOK_SIP
    if (code !== 'EADDRINUSE') return blame(`${name} (${addressText({ host, port: Number(port) })})`)(error)
    throw new CannotStart(
      `${addressText({ host, port: Number(port) })} is already in use. Is Offhook or another phone program running? Set ${name} to use another address: ${name}=${addressText({ host, port: Number(port) + 1 })} ${startCommand}`,
      error,
    )
  }

/** In a SIP address the usual port is not said. */
const domainText = ({ host, port }: Address): string => (port === 5060 ? bracketed(host) : addressText({ host, port }))

const addressOf = async ({ host }: Address): Promise<string> => (await lookup(host).catch(blame(`OFFHOOK_SIP (${host})`))).address

/** A name stands in SIP messages as it is, but audio wants an address. Until it is known, and if it never is, the name has to do. */
const publicIp = ({ OFFHOOK_PUBLIC_ADDRESS: host }: Settings): (() => string | undefined) => {
  let address = host !== undefined && isIP(host) !== 0 ? host : undefined
  if (host !== undefined && address === undefined)
    lookup(host).then(
      (found) => (address = found.address),
      () => {},
    )
  return () => address
}
