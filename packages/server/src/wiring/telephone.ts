import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { addressRules } from '#adapters/address-rules.ts'
import { realClock } from '#adapters/clock/real-clock.ts'
import { SipTelephony } from '#adapters/telephony/sip-telephony.ts'
import type { Assistants } from './assistants.ts'
import { blame, CannotStart } from './cannot-start.ts'
import { readCertificate } from './certificate.ts'
import { addressText, type Address, type Settings } from '#settings/config.ts'
import type { Calls } from '#core/telephone/call/state/calls.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import { accountLamps } from '#core/telephone/lamps/account-lamps.ts'
import type { Watchers } from '#core/kernel/watchers.ts'
import type { CallGuide } from '#core/kernel/ports/call-guide.ts'
import type { CallChange, CallObserver } from '#core/kernel/ports/call-observer.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Measurements } from '#core/operate/metrics/measurements.ts'
import type { Reading } from '#core/operate/metrics/prometheus.ts'
import { faxIntake } from '#core/messages/fax/receiving/fax-intake.ts'
import type { FaxFiles } from '#core/kernel/ports/fax-papers.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import type { WebLines } from '#core/kernel/ports/web-line.ts'
import type { MayRecord } from '#core/telephone/recordings/recording-room.ts'
import { Switchboard } from '#core/telephone/switchboard/switchboard.ts'
import { Talks } from '#core/telephone/talks/talks.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import { openEngines, type Engines } from './engines.ts'
import { recordingsFolder } from './ground.ts'
import type { MemoryPool } from '#media/thread/memory-pool.ts'
import type { PortFigures } from '#media/socket/port-pool.ts'
import { bracketed } from '@offhook/sip/grammar/host.ts'
import type { Log, LogEventCode } from '#log/log-events.ts'

export interface TelephoneParts {
  settings: Settings
  /** How the world reaches the REST interface. */
  publicUrl: () => string
  store: Store
  clock: Clock
  /** What phones go by. */
  wallClock: Clock
  /** The same, but never set. */
  evenClock: Clock
  vault: Vault
  calls: Calls
  assistants: Assistants
  /** What accounts' own software wants to become of their calls. */
  guide: CallGuide
  leases: Leases
  measurements: Measurements
  soundMemory: MemoryPool
  timelines: LiveTimelines
  /** By account: its messages may be others now. */
  messageNews: Watchers
  /** Something was put into the outbox. */
  wake: () => void
  recordingFiles: RecordingFiles
  mayRecord: MayRecord
  faxFiles: FaxFiles
  log: Log
  /** How often the trunks' table is looked at, in case another process changed it. */
  readTrunksEveryMs?: number
}

/** Everything that rings: sockets, audio, and the switchboard between them. */
export interface Telephone {
  telephony: SipTelephony
  switchboard: Switchboard
  /** Calls from browsers and programs. */
  talks: Talks
  /** From now on calls are taken and made. */
  start(): Promise<void>
  /** New calls are refused, or taken again. */
  refuse(value: boolean): void
  /** New calls are refused; resolves when the last one is over, or was told to end after that time. */
  drain(ms: number): Promise<void>
  /** Nothing is being looked up or written at this moment. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** So long customers may take to hear what happened last in calls that end with the service. */
const lastWordsMs = 500

/** Listens when it resolves. */
export const openTelephone = async (parts: TelephoneParts): Promise<Telephone> => {
  const { settings, store, clock, calls, assistants, log } = parts
  const address = await addressOf(settings.OFFHOOK_SIP)
  const engines = openEngines(address, parts)
  parts.measurements.also(() => portReadings(engines.ports.figures))
  const telephony = await openTelephony(parts, engines)
  const switchboard = new Switchboard({
    store,
    clock,
    telephony,
    calls,
    flows: assistants.flows,
    guide: parts.guide,
    leases: parts.leases,
    timelines: parts.timelines,
    wake: parts.wake,
    recordingFiles: parts.recordingFiles,
    faxes: (books) => faxIntake({ ...books, leases: parts.leases, wake: parts.wake, files: parts.faxFiles }),
    mayRecord: parts.mayRecord,
    country: settings.OFFHOOK_COUNTRY,
    transferBy: settings.OFFHOOK_TRANSFER,
    observers: [callLog(log), parts.measurements],
    onFailure: (error, callId) => log('call_failed', { err: error, callId }),
  })
  telephony.onIncoming((call) => void switchboard.incoming(call))
  const talks = openTalks(parts, telephony, switchboard)
  return {
    telephony,
    switchboard,
    talks,
    async start() {
      await telephony.start()
      await telephony.lamps.start(accountLamps({ store, occupancy: switchboard.occupancy, messageNews: parts.messageNews }))
    },
    refuse(value) {
      telephony.drain(value)
      switchboard.drain(value)
      talks.refuse(value)
    },
    drain: (ms) => drain({ telephony, switchboard, clock, log }, ms),
    async idle() {
      await switchboard.idle()
      await telephony.lamps.idle()
      await assistants.idle()
    },
    async close() {
      telephony.drain()
      const cancel = realClock().after(lastWordsMs, () => assistants.hurry())
      await switchboard.hangUpAll('service_shutdown')
      cancel()
      await telephony.close()
      await engines.close()
    },
  }
}

const openTalks = ({ settings, ...parts }: TelephoneParts, lines: WebLines, switchboard: Switchboard): Talks =>
  new Talks({
    ...parts,
    lines,
    take: (call) => switchboard.incoming(call),
    longestSeconds: settings.OFFHOOK_TALK_MINUTES === 0 ? Infinity : settings.OFFHOOK_TALK_MINUTES * 60,
  })

const portReadings = ({ free, resting, taken, hurried, exhausted }: PortFigures): Reading[] => [
  { name: 'rtp_ports_free', kind: 'gauge', help: 'RTP ports that a call can have, counted in pairs.', value: free },
  { name: 'rtp_ports_resting', kind: 'gauge', help: 'RTP ports that rest after a call.', value: resting },
  { name: 'rtp_ports_taken', kind: 'gauge', help: 'RTP ports of calls and faxes.', value: taken },
  { name: 'rtp_ports_hurried', kind: 'counter', help: 'RTP ports that were used again before their rest was over.', value: hurried },
  { name: 'rtp_ports_exhausted', kind: 'counter', help: 'How often a call was refused because no RTP port was free.', value: exhausted },
]

const loggedAs: Partial<Record<CallChange, LogEventCode>> = {
  started: 'call_started',
  answered: 'call_answered',
  transferred: 'call_transferred',
  ended: 'call_ended',
}

/** One line for each step of a call; who called whom only where the operator wants personal data in the log. */
const callLog = (log: Log): CallObserver => ({
  changed({ callId, from, to, end }, what) {
    const event = loggedAs[what]
    if (event) log(event, { callId, ...(end && { by: end.by, reason: end.reason }), pii: { from, to } })
  },
  sound(callId, state, phone) {
    log(state === 'heard' ? 'phone_audio_restored' : 'phone_audio_missing', { callId, state, ...phone })
  },
})

const openTelephony = async (parts: TelephoneParts, { media, webrtc, fax }: Engines): Promise<SipTelephony> => {
  const { settings, store, wallClock, evenClock, vault, log, readTrunksEveryMs } = parts
  const { OFFHOOK_SIP: listen, OFFHOOK_SIP_TLS: tls, OFFHOOK_SIP_WS: ws } = settings
  const rules = addressRules(settings.OFFHOOK_EGRESS_ALLOW)
  return SipTelephony.open({
    store,
    clock: evenClock,
    wallClock,
    vault,
    media,
    webrtc,
    fax,
    listen,
    tls,
    ws,
    certificate: await readCertificate(settings),
    recordings: recordingsFolder(settings),
    place: `${hostname()} ${bracketed(listen.host)}:${listen.port}`,
    publicAddress: settings.OFFHOOK_PUBLIC_ADDRESS,
    publicIp: publicIp(settings),
    mayReach: (address, port) => rules.allowsAddress(address, port),
    trusted: settings.OFFHOOK_SIP_TRUSTED,
    digest: settings.OFFHOOK_SIP_DIGEST === 'both' ? ['SHA-256', 'MD5'] : [settings.OFFHOOK_SIP_DIGEST],
    limitLoopback: settings.OFFHOOK_SIP_LIMIT_LOOPBACK,
    country: settings.OFFHOOK_COUNTRY,
    ...(readTrunksEveryMs !== undefined && { readTrunksEveryMs }),
    onBan: (address, why) => log('sip_source_banned', { address, why }),
    onFlood: (address) => log('sip_source_flooding', { address }),
    onTrunkChanged: ({ id, name }, state) =>
      log(state.problem === undefined ? 'trunk_changed' : 'trunk_rejected', { trunk: id, name, ...state }),
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
      `${addressText({ host, port: Number(port) })} is already in use. Is Offhook or another phone program running? Set ${name} to use another address: ${name}=${addressText({ host, port: Number(port) + 1 })} npm start`,
      error,
    )
  }

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

interface Draining {
  telephony: SipTelephony
  switchboard: Switchboard
  clock: Clock
  log: Log
}

const sayEveryMs = 5_000

const drain = async ({ telephony, switchboard, clock, log }: Draining, ms: number): Promise<void> => {
  telephony.drain()
  switchboard.drain()
  const until = clock.now() + ms
  let saidAt = 0
  while (switchboard.size > 0 && clock.now() < until) {
    if (clock.now() - saidAt >= sayEveryMs) {
      saidAt = clock.now()
      log('calls_draining', { calls: switchboard.size })
    }
    await new Promise<void>((resolve) => void clock.after(100, resolve))
  }
}
