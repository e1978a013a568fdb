import type { StepState } from '../parts/track.tsx'

/** The codes of the interface between customers and the service. */
export const portingStatuses = [100, 150, 160, 170, 200, 250, 251, 252, 400, 450, 451, 500, 600] as const

export type PortingStatus = (typeof portingStatuses)[number]

export const isPortingStatus = (status: number): status is PortingStatus => (portingStatuses as readonly number[]).includes(status)

export type StepName = 'form' | 'mail' | 'consent' | 'request' | 'date' | 'switching' | 'complete'

interface Step {
  name: StepName
  /** What can be its state while it is the present step. */
  statuses: readonly PortingStatus[]
}

const end: readonly Step[] = [
  { name: 'date', statuses: [400] },
  { name: 'switching', statuses: [450, 451] },
  { name: 'complete', statuses: [500] },
]

/** How numbers come: a carrier that can be asked electronically is asked after a consent by mail, others with a signed form. */
export const tracks = {
  byMail: [
    { name: 'mail', statuses: [150, 160] },
    { name: 'consent', statuses: [170] },
    { name: 'request', statuses: [250, 251, 252] },
    ...end,
  ],
  byForm: [{ name: 'form', statuses: [100] }, { name: 'request', statuses: [200] }, ...end],
  /** Once there is a date, it no longer shows how the consent was given. */
  agreed: [{ name: 'consent', statuses: [] }, { name: 'request', statuses: [] }, ...end],
} as const satisfies Record<string, readonly Step[]>

/** The customer or the operator has to act before it can go on. */
export const stuckStatuses: readonly PortingStatus[] = [251, 252, 451]

export interface PlacedStep {
  name: StepName
  state: StepState
}

/** The way of a porting with where it stands; empty for one that was given up. */
export const placeOnTrack = (status: PortingStatus): PlacedStep[] => {
  const track: readonly Step[] | undefined = Object.values(tracks).find(
    (steps: readonly Step[]) => positionOf(steps, status) >= 0 && fits(steps, status),
  )
  if (!track) return []
  const present = positionOf(track, status)
  return track.map(({ name }, position) => ({ name, state: stateAt(position, present, status) }))
}

/** Of a porting with a date the first steps are no longer known. */
const fits = (steps: readonly Step[], status: PortingStatus): boolean => status < 400 || steps[0]?.statuses.length === 0

const positionOf = (steps: readonly Step[], status: PortingStatus): number => steps.findIndex(({ statuses }) => statuses.includes(status))

const stateAt = (position: number, present: number, status: PortingStatus): StepState => {
  if (position < present || (position === present && status === 500)) return 'done'
  if (position > present) return 'ahead'
  return stuckStatuses.includes(status) ? 'bad' : 'now'
}
