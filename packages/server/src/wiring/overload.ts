import type { Cause, IncomingCall } from '#core/kernel/ports/telephony.ts'
import { isEmergency } from '#core/account/numbers/emergency.ts'
import { Admission } from '#core/operate/overload/admission.ts'
import { loadMeasures, type LoadReadings } from '#core/operate/overload/load-pressure.ts'
import type { Sample } from '#core/operate/metrics/families/sample.ts'
import type { Media } from '#media/engine.ts'
import type { Settings } from '#settings/config.ts'
import type { Open } from './closing.ts'
import type { Platform } from './platform.ts'

/** What the machine is busy with: its parts are set as they are opened, and read from then on. */
export class LoadSources implements LoadReadings {
  soundEngine: Pick<Media, 'ticks' | 'lateTicks'> | undefined
  recogniser: { readonly waitMs: number } | undefined
  /** Connections to the database, and how many wait for one. */
  pool: (() => { size: number; waiting: number }) | undefined
  calls: (() => number) | undefined
  #turns = 0
  #late = 0
  #accesses = 0
  #accessSeconds = 0

  /** A statement, or a transaction of SQLite, took so long. */
  accessed(seconds: number): void {
    this.#accesses++
    this.#accessSeconds += seconds
  }

  media(): { turns: number; late: number } {
    const { ticks = 0, lateTicks = 0 } = this.soundEngine ?? {}
    const passed = { turns: ticks - this.#turns, late: lateTicks - this.#late }
    this.#turns = ticks
    this.#late = lateTicks
    return passed
  }

  recogniserWaitMs(): number {
    return this.recogniser?.waitMs ?? 0
  }

  databaseMs(): number | undefined {
    if (this.#accesses === 0) return undefined
    const { size = 0, waiting = 0 } = this.pool?.() ?? {}
    const ms = (this.#accessSeconds * 1000 * (1 + waiting / Math.max(1, size))) / this.#accesses
    this.#accesses = 0
    this.#accessSeconds = 0
    return ms
  }
}

/** Undefined if the operator has switched it off. */
export const openAdmission = ({ OFFHOOK_SHED_LOAD: isOn }: Settings, platform: Platform, open: Open): Admission | undefined => {
  if (!isOn) return undefined
  const { evenClock: clock, load, metrics, log } = platform
  const admission = new Admission({
    clock,
    readings: load,
    isCarrying: () => (load.calls?.() ?? 0) > 0,
    onOverload: ({ by, ratio }) => log('overload_began', { by, ratio: Math.round(ratio * 10) / 10, calls: load.calls?.() ?? 0 }),
    onRelief: (past) => log('overload_ended', past),
  })
  metrics.add(() => admissionSamples(admission))
  open({ close: async () => admission.close() })
  return admission
}

const admissionSamples = ({ overloaded, ratios, shed }: Admission): Sample[] => [
  { name: 'offhook_overloaded', value: Number(overloaded) },
  ...loadMeasures.map((by): Sample => ({ name: 'offhook_load_ratio', labels: { by }, value: ratios[by] })),
  ...shed.map(({ what, by, count }): Sample => ({ name: 'offhook_shed_total', labels: { what, by }, value: count })),
]

/** For calls that do not come over SIP: from browsers and programs. */
export const admitting =
  <T>(admission: Admission | undefined, country: string, take: (call: IncomingCall) => Promise<T | undefined>) =>
  async (call: IncomingCall): Promise<T | undefined> => {
    const shed = admission?.rejects('call', { isEmergency: () => isEmergency(call.dialled, country) })
    if (shed === undefined) return take(call)
    await call.leg.hangUp('overloaded' satisfies Cause)
    return undefined
  }
