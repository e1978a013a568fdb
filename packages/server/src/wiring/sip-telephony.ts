import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { addressRules } from '#adapters/address-rules.ts'
import type { SharedTrunkCalls } from '#adapters/telephony/trunk/trunk-calls.ts'
import { SipTelephony } from '#adapters/telephony/sip-telephony.ts'
import { TrunkLeases } from '#core/account/trunks/trunk-leases.ts'
import type { Admission } from '#core/operate/overload/admission.ts'
import type { PeerNodes } from '#core/kernel/ports/platform.ts'
import type { Sample } from '#core/operate/metrics/families/sample.ts'
import type { Trunk } from '#core/kernel/ports/store/operate.ts'
import { type PortFigures, PortPool } from '#media/socket/port-pool.ts'
import { startCommand } from '#places.ts'
import type { Settings } from '#settings/config.ts'
import { addressText, type Address } from '#settings/setting-values.ts'
import { bracketed } from '@offhook/sip/grammar/uri.ts'
import { blame, CannotStart } from '#settings/cannot-start.ts'
import { nodeName } from './cluster/bus.ts'
import { audioAddresses } from './listening/audio-addresses.ts'
import type { ClusterCounters } from './cluster/cluster-counters.ts'
import type { Platform } from './platform.ts'
import { availableParallelism } from 'node:os'
import type { Media } from '#media/engine.ts'
import type { FaxEngine } from '#media/fax/engine.ts'
import { startFaxEngine } from '#media/fax/fax-engine.ts'
import { startMedia } from '#media/control/media.ts'
import type { MemoryPool } from '#media/thread/shared-memory.ts'
import { startWebRtc, type WebRtcGateway } from '#media/webrtc/webrtc-gateway.ts'
import { SoundMeter } from '#adapters/machine/sound-meter.ts'
import type { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import type { Log } from '#log/log-events.ts'
import { portableWithoutFax, type Machine } from './machine/machine.ts'

/** SIP with the engines for its audio and faxes. */
export interface OpenedTelephony {
  telephony: SipTelephony
  /** Resolves when every media thread has answered. */
  answers(): Promise<void>
  /** Resolves when the trunk leases are decided. */
  idle(): Promise<void>
  close(): Promise<void>
}

interface OpenTelephonyDeps {
  settings: Settings
  platform: Platform
  peerNodes: PeerNodes
  together: ClusterCounters
  /** Poll interval of the trunks table, in case a change by another node was missed. */
  readTrunksIntervalMs: number
  refreshWindowMs: number
  /** Undefined: everything is admitted. */
  admission: Admission | undefined
}

/** Listens when it resolves; accepts calls from `telephony.start()` on. */
export const openTelephony = async (deps: OpenTelephonyDeps): Promise<OpenedTelephony> => {
  const { settings, platform } = deps
  const [firstAudioAddress] = await audioAddresses(settings)
  const engines = openEngines(firstAudioAddress ?? (await addressOf(settings.OFFHOOK_SIP)), { settings, ...platform })
  platform.load.soundEngine = engines.media
  platform.metrics.add(() => portSamples(engines.ports.figures))
  const holding = holdTrunks(deps)
  const telephony = await listen(deps, engines, holding)
  platform.metrics.add(() => droppedSamples(telephony))
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

/** A short outage of the database must not move calls elsewhere. */
const maxAbsenceMs = 2_000

/** One of the nodes that share a database registers with a carrier. */
const holdTrunks = ({ settings, platform: { store, wallClock: clock, log }, peerNodes }: OpenTelephonyDeps): TrunkLeases | undefined =>
  settings.DATABASE_URL === undefined
    ? undefined
    : new TrunkLeases({ store, clock, peerNodes, onError: (error) => log('trunk_lease_failed', { err: error }) })

const followTrunks = ({ changes }: Platform, telephony: SipTelephony, holding: TrunkLeases | undefined): (() => void)[] => {
  const read = (): void => telephony.readTrunks()
  return [changes.on('trunks', read), changes.onDoubt(read), changes.on('trunkHolders', () => void holding?.look())]
}

/** A source banned for guessing passwords at one node is banned at all. */
const bans = 'state.bans'
const followBans = ({ bus }: Platform, telephony: SipTelephony): (() => void) =>
  bus.alone ? () => {} : bus.hear(bans, (source) => telephony.ban(source as string))

const countTrunkCalls = (together: ClusterCounters): SharedTrunkCalls => ({
  calls: together.state('trunks'),
  place: () => together.place,
  begun: (spend) => together.rate('trunks', 0, spend),
})

/** Whether the database and the cached routing are both unavailable. Each call also probes the database, so that frequent callers detect an outage in time. */
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

const droppedSamples = ({ dropped }: SipTelephony): Sample[] =>
  Object.entries(dropped).map(([reason, value]) => ({ name: 'offhook_sip_dropped_total', labels: { reason }, value }))

const listen = async (
  { settings, platform, together, readTrunksIntervalMs, refreshWindowMs, admission }: OpenTelephonyDeps,
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
    rtpAddresses: settings.OFFHOOK_RTP_ADDRESS,
    mayReach: (address, port) => rules.allowsAddress(address, port),
    domain: settings.OFFHOOK_SIP_DOMAIN && domainText(settings.OFFHOOK_SIP_DOMAIN),
    trusted: settings.OFFHOOK_SIP_TRUSTED,
    edge: settings.OFFHOOK_SIP_EDGE,
    digest: settings.OFFHOOK_SIP_DIGEST === 'both' ? ['SHA-256', 'MD5'] : [settings.OFFHOOK_SIP_DIGEST],
    limitLoopback: settings.OFFHOOK_SIP_LIMIT_LOOPBACK,
    country: settings.OFFHOOK_COUNTRY,
    readTrunksIntervalMs,
    isUnwell: () => engines.ports.figures.free + engines.ports.figures.resting === 0 || isLost(platform),
    ...(admission && { admission }),
    sharedTrunkCalls: countTrunkCalls(together),
    ...(holding && { trunkHolding: holding }),
    onBan(address, why, source) {
      bansSoFar++
      log('sip_source_banned', { address, why })
      bus.notify(bans, source)
    },
    onFlood: (address) => log('sip_source_flooding', { address }),
    onUnprovenFlood: (dropped) => log('sip_unproven_flood', { dropped }),
    hasMediaForTrunks: () => hasMediaForTrunks(engines.ports.figures),
    onTrunkRejected: rejectedTrunkCalls(platform),
    onTrunkChanged: ({ id, name }, state) =>
      log(state.problem === undefined ? 'trunk_changed' : 'trunk_rejected', { trunk: id, name, ...state }),
    onTrunkCall: (call) => platform.measurements.trunkCall(call),
    onError: (error) => log('sip_fault', { err: error }),
  }).catch(explain(settings))
}

/** Share of the RTP ports that trunk calls leave to phones: a flood from a carrier must not take them all. */
const reservedPorts = 0.1

const hasMediaForTrunks = ({ all, free, resting }: PortFigures): boolean => free + resting > all * reservedPorts

const reportRejectedEveryMs = 60_000

/** Counts trunk calls rejected with 503, and logs them once a minute per trunk. */
const rejectedTrunkCalls = ({ metrics, evenClock, log }: Platform): ((trunk: Pick<Trunk, 'id' | 'name'>) => void) => {
  const trunks = new Map<string, { name: string; rejected: number; reportedAt: number }>()
  metrics.add(() =>
    [...trunks].map(([trunk, { name, rejected }]) => ({
      name: 'offhook_trunk_rejected_calls_total',
      labels: { trunk, name },
      value: rejected,
    })),
  )
  return ({ id, name }) => {
    const known = trunks.get(id) ?? { name, rejected: 0, reportedAt: Number.NEGATIVE_INFINITY }
    trunks.set(id, Object.assign(known, { name }))
    known.rejected++
    if (evenClock.now() - known.reportedAt < reportRejectedEveryMs) return
    known.reportedAt = evenClock.now()
    log('trunk_calls_rejected', { trunk: id, name, rejected: known.rejected })
  }
}

/** The system reports the refused address, not the setting. */
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

/** The default port is omitted in a SIP address. */
const domainText = ({ host, port }: Address): string => (port === 5060 ? bracketed(host) : addressText({ host, port }))

const addressOf = async ({ host }: Address): Promise<string> => (await lookup(host).catch(blame(`OFFHOOK_SIP (${host})`))).address

/** SIP messages contain the name unchanged, but audio needs an address. Until it is resolved, and if it never is, the name is used. */
const publicIp = ({ OFFHOOK_PUBLIC_ADDRESS: host }: Settings): (() => string | undefined) => {
  let address = host !== undefined && isIP(host) !== 0 ? host : undefined
  if (host !== undefined && address === undefined)
    lookup(host).then(
      (found) => (address = found.address),
      () => {},
    )
  return () => address
}

/** Audio and fax engines, in separate threads and processes that start on demand. */
interface Engines {
  /** Audio and faxes share a range. */
  ports: PortPool
  media: Media
  webrtc: WebRtcGateway
  fax: FaxEngine
  close(): Promise<void>
}

interface EngineDeps {
  settings: Settings
  log: Log
  metrics: MetricSources
  /** For audio passed between threads. */
  soundMemory: MemoryPool
  machine: Machine
}

/** `address`: receiving address of audio without a far end's choice. */
const openEngines = (address: string, deps: EngineDeps): Engines => {
  const { settings, log, machine } = deps
  log('machine_examined', { ...machine })
  const ports = openPorts(settings, log)
  const media = openMedia(address, ports, deps)
  const webrtc = openWebRtc(address, deps)
  const fax = openFax(address, ports, { settings, log, machine })
  return {
    ports,
    media,
    webrtc,
    fax,
    async close() {
      await webrtc.close()
      await fax.close()
      await media.close()
    },
  }
}

/** When the ports are exhausted every further call fails; milliseconds between log lines about it. */
const announceIntervalMs = 10_000

const openPorts = ({ OFFHOOK_RTP: range }: Settings, log: Log): PortPool => {
  let saidAt = -Infinity
  const exhausted = (): void => {
    const now = performance.now()
    if (now - saidAt < announceIntervalMs) return
    saidAt = now
    log('rtp_ports_exhausted', { ...range })
  }
  return new PortPool(range, { exhausted })
}

const openMedia = (address: string, ports: PortPool, { settings, log, metrics, soundMemory: memory, machine }: EngineDeps): Media => {
  const heard = new SoundMeter()
  const workers = settings.OFFHOOK_MEDIA_WORKERS || Math.max(1, availableParallelism() - 1)
  const media = startMedia({
    address,
    ports,
    workers,
    silentAfterMs: silenceTimeouts(settings),
    memory,
    udp: machine.audio,
    streamFailed: (why) => log('media_leg_failed', { why }),
    streamEnded: (quality) => heard.ended(quality),
    threadDied(error) {
      heard.threadsDied++
      log('media_worker_died', { err: error })
    },
  })
  metrics.add(() => heard.samples(media))
  log('media_ready', { udp: media.udp, workers })
  return media
}

const silenceTimeouts = ({ OFFHOOK_RTP_TIMEOUT: seconds }: Settings): { first: number; later: number } => {
  const later = seconds === 0 ? Infinity : seconds * 1000
  return { first: later / 2, later }
}

/** Its process starts with the first call from a browser. */
const openWebRtc = (address: string, { settings, log }: Pick<EngineDeps, 'settings' | 'log'>): WebRtcGateway => {
  const { OFFHOOK_RTP: ports, OFFHOOK_RTP_ADDRESS: several, OFFHOOK_PUBLIC_ADDRESS: publicAddress } = settings
  return startWebRtc({
    mediaAddress: address,
    ports,
    ...(isAny(address) || several.length > 1 ? {} : { bindAddress: address }),
    ...(publicAddress !== undefined && isIP(publicAddress) !== 0 && { publicAddress }),
    processDied: (why) => log('webrtc_process_died', { why }),
  })
}

/** Logs once what is missing for faxes; fax orders are rejected with the same reason. */
const openFax = (address: string, ports: PortPool, { settings, log, machine }: Omit<EngineDeps, 'soundMemory' | 'metrics'>): FaxEngine => {
  const fax = startFaxEngine({
    address,
    ports,
    ...(settings.OFFHOOK_PORTABLE && { without: portableWithoutFax }),
    processDied: (why) => log('fax_process_died', { why }),
    faxFailed: (why) => log('fax_failed', { why }),
  })
  if (machine.withoutFax !== undefined) log('fax_unavailable', { why: machine.withoutFax })
  return fax
}

const isAny = (address: string): boolean => address === '0.0.0.0' || address === '::'
