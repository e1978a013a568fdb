import type { Sample } from '#core/operate/metrics/families/sample.ts'
import type { Core } from '../core.ts'
import type { Platform } from '../platform.ts'

const callStates = ['dialing', 'ringing', 'active', 'transferring', 'consulting'] as const

/** Calls, phones and carriers, as this process has them now. */
export const callSamples =
  ({ telephone, faxes, assistants }: Core) =>
  (): Sample[] => {
    const { telephony, callRouter } = telephone
    const states = callRouter.states
    return [
      ...callStates.map((state): Sample => ({
        name: 'offhook_calls',
        labels: { state },
        value: states.filter((one) => one === state).length,
      })),
      { name: 'offhook_sessions_running', value: assistants.size },
      { name: 'offhook_faxes_running', value: faxes.size },
      ...telephony.responses.entries.map(({ direction, class: digit, count }): Sample => ({
        name: 'offhook_sip_responses_total',
        labels: { direction, class: digit },
        value: count,
      })),
      ...telephony.trunkStates.all().flatMap(({ id: trunk, name, state }): Sample[] => [
        { name: 'offhook_trunk_up', labels: { trunk, name }, value: Number(state.usable) },
        { name: 'offhook_trunk_calls', labels: { trunk, name }, value: state.calls },
      ]),
    ]
  }

/** This process among others. */
export const clusterSamples =
  ({ bus }: Platform, { presence, neighbours: peerNodes, leases }: Core) =>
  (): Sample[] => [
    { name: 'offhook_ready', value: Number(presence.isReady) },
    ...(bus.alone
      ? []
      : [
          { name: 'offhook_bus_up' as const, value: Number(bus.connected) },
          { name: 'offhook_neighbours' as const, value: peerNodes.others().length },
        ]),
    { name: 'offhook_leases_held', value: leases.size },
    ...(leases.ageMs === undefined ? [] : [{ name: 'offhook_lease_age_seconds' as const, value: leases.ageMs / 1000 }]),
  ]
