import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import type { Settings } from '#settings/config.ts'
import type { Media } from '#media/engine.ts'
import type { FaxEngine } from '#media/fax/engine.ts'
import { startFaxEngine } from '#media/fax/fax-engine.ts'
import { startMedia } from '#media/control/media.ts'
import type { MemoryPool } from '#media/thread/memory-pool.ts'
import { PortPool } from '#media/socket/port-pool.ts'
import { startWebRtc, type WebRtcGateway } from '#media/webrtc/webrtc-gateway.ts'
import { SoundMeter } from '#adapters/machine/sound-meter.ts'
import type { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import type { Log } from '#log/log-events.ts'
import { portableWithoutFax, type Machine } from './machine/machine.ts'

/** What carries audio and faxes, in threads and processes of their own, which start when they are needed. */
export interface Engines {
  /** Audio and faxes share a range. */
  ports: PortPool
  media: Media
  webrtc: WebRtcGateway
  fax: FaxEngine
  close(): Promise<void>
}

export interface EngineDeps {
  settings: Settings
  log: Log
  metrics: MetricSources
  /** For audio that threads pass to each other. */
  soundMemory: MemoryPool
  machine: Machine
}

/** `address`: where audio is received. */
export const openEngines = (address: string, deps: EngineDeps): Engines => {
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

/** When the ports are exhausted every further call finds none; one line in the log is enough for a while. */
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
  const { OFFHOOK_RTP: ports, OFFHOOK_PUBLIC_ADDRESS: publicAddress } = settings
  return startWebRtc({
    mediaAddress: address,
    ports,
    ...(isAny(address) ? {} : { bindAddress: address }),
    ...(publicAddress !== undefined && isIP(publicAddress) !== 0 && { publicAddress }),
    processDied: (why) => log('webrtc_process_died', { why }),
  })
}

/** What is missing for faxes is logged once; orders of faxes are refused with the same reason. */
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
