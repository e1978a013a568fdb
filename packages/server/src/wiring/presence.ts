import { processLoad } from '#adapters/machine/process-samples.ts'
import { nodeName } from './cluster/bus.ts'
import type { Assistants } from './assistants.ts'
import type { Settings } from '#settings/config.ts'
import type { FaxSender } from '#core/messages/fax/sending/fax-sender.ts'
import { BusWatch } from '#core/operate/nodes/bus-watch.ts'
import { ClockWatch } from '#core/operate/nodes/clock-watch.ts'
import { Presence } from '#core/operate/nodes/presence.ts'
import type { Platform } from './platform.ts'
import type { RestAddress } from './listening/rest-address.ts'
import { bracketed } from '@offhook/sip/grammar/uri.ts'
import type { Telephone } from './telephone.ts'
import { version } from '#settings/version.ts'

interface PresenceDeps {
  platform: Platform
  settings: Settings
  /** Id of this run of the process. */
  id: string
  telephone: Telephone
  faxes: FaxSender
  assistants: Assistants
  address: RestAddress
  intervalMs: number
  /** Hands over calls to peer nodes, where possible. */
  handOver: () => Promise<void>
}

/** This node in the cluster. */
export const openPresence = ({
  platform,
  settings,
  id,
  telephone,
  faxes,
  assistants,
  address,
  intervalMs,
  handOver,
}: PresenceDeps): Presence => {
  const { store, bus, wallClock: clock, measurements, log } = platform
  const { telephony, callRouter } = telephone
  const sip = `sip:${bracketed(settings.OFFHOOK_SIP.host)}:${telephony.port('udp') ?? settings.OFFHOOK_SIP.port}`
  const [name, load, itsVersion] = [nodeName(settings), processLoad(), version()]
  const placed = settings.OFFHOOK_REGION === undefined ? {} : { region: settings.OFFHOOK_REGION }
  const shared = settings.DATABASE_URL !== undefined
  const busWatch = new BusWatch({ bus, store, shared, clock, id, intervalMs, onMissing: () => log('bus_missing') })
  return new Presence({
    busWatch,
    store,
    clock,
    measurements,
    intervalMs,
    id,
    describe: () => ({ name, version: itsVersion, http: address.listening(), sip }),
    work: () => ({ calls: callRouter.size, sessions: assistants.size, faxes: faxes.size, ...load(), ...placed }),
    setDraining(value) {
      telephone.refuse(value)
      if (value) void handOver()
      faxes.refuse(value)
      log(value ? 'node_draining' : 'node_accepting')
    },
    onError: (error) => log('node_heartbeat_failed', { err: error }),
  })
}

/** Registrations have durations, but are stored as end times, so they move with a changed clock. In a cluster the clocks must be right. */
export const openClockWatch = (settings: Settings, { wallClock, store, log }: Platform, intervalMs: number): ClockWatch =>
  new ClockWatch({
    clock: wallClock,
    intervalMs,
    wasSet(ms) {
      log('clock_changed', { seconds: Math.round(ms / 1000) })
      if (settings.DATABASE_URL !== undefined) return
      const failed = (error: unknown): void => log('registrations_not_moved', { err: error })
      void store.write(({ devices }) => devices.moveRegistrations(ms)).catch(failed)
    },
  })
