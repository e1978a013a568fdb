import type { Cause, IncomingCall } from '#core/kernel/ports/telephony.ts'
import { isEmergency } from '#core/account/numbers/emergency.ts'
import { Admission } from '#core/operate/overload/admission.ts'
import { loadMeasures } from '#core/operate/overload/load-pressure.ts'
import type { Sample } from '#core/operate/metrics/families/sample.ts'
import type { Settings } from '#settings/config.ts'
import type { Open } from './closing.ts'
import type { Platform } from './platform.ts'

/** Undefined if the operator has switched it off. */
export const openAdmission = ({ OFFHOOK_SHED_LOAD: isOn }: Settings, platform: Platform, open: Open): Admission | undefined => {
  if (!isOn) return undefined
  const { evenClock: clock, load, metrics, log } = platform
  const admission = new Admission({
    clock,
    readings: load,
    calls: () => load.calls?.() ?? 0,
    onOverload: ({ by, ratio }) => log('overload_began', { by, ratio: Math.round(ratio * 10) / 10, calls: load.calls?.() ?? 0 }),
    onRelief: (past) => log('overload_ended', past),
  })
  metrics.add(() => admissionSamples(admission))
  open({ close: async () => admission.close() })
  return admission
}

const admissionSamples = ({ overloaded, ratios, shed }: Admission): Sample[] => [
  { name: 'offhook_overloaded', value: Number(overloaded) },
  ...loadMeasures.map((by): Sample => ({ name: 'offhook_load_ratio', labels: { reason: by }, value: ratios[by] })),
  ...shed.map(({ what, by, count }): Sample => ({ name: 'offhook_shed_total', labels: { kind: what, reason: by }, value: count })),
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
