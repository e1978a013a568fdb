import type { StepState } from '../parts/track.tsx'

/** Status codes of the customer interface. */
export const portingStatuses = [100, 150, 160, 170, 200, 250, 251, 252, 400, 450, 451, 500, 600] as const

export type PortingStatus = (typeof portingStatuses)[number]

export const isPortingStatus = (status: number): status is PortingStatus => (portingStatuses as readonly number[]).includes(status)

export type StepName = 'form' | 'mail' | 'consent' | 'request' | 'date' | 'switching' | 'complete'

interface Step {
  name: StepName
  /** Possible states of the current step. */
  statuses: readonly PortingStatus[]
}

const end: readonly Step[] = [
  { name: 'date', statuses: [400] },
  { name: 'switching', statuses: [450, 451] },
  { name: 'complete', statuses: [500] },
]

/** Porting processes: with an electronic carrier after a consent by mail, with others by a signed form. */
export const tracks = {
  byMail: [
    { name: 'mail', statuses: [150, 160] },
    { name: 'consent', statuses: [170] },
    { name: 'request', statuses: [250, 251, 252] },
    ...end,
  ],
  byForm: [{ name: 'form', statuses: [100] }, { name: 'request', statuses: [200] }, ...end],
  /** Once there is a date, the form of consent is unknown. */
  agreed: [{ name: 'consent', statuses: [] }, { name: 'request', statuses: [] }, ...end],
} as const satisfies Record<string, readonly Step[]>

/** The customer or the operator must act before it can continue. */
export const stuckStatuses: readonly PortingStatus[] = [251, 252, 451]

interface PlacedStep {
  name: StepName
  state: StepState
}

/** The steps of a porting with its position; empty for a cancelled one. */
export const placeOnTrack = (status: PortingStatus): PlacedStep[] => {
  const track: readonly Step[] | undefined = Object.values(tracks).find(
    (steps: readonly Step[]) => positionOf(steps, status) >= 0 && fits(steps, status),
  )
  if (!track) return []
  const present = positionOf(track, status)
  return track.map(({ name }, position) => ({ name, state: stateAt(position, present, status) }))
}

/** For a porting with a date the first steps are unknown. */
const fits = (steps: readonly Step[], status: PortingStatus): boolean => status < 400 || steps[0]?.statuses.length === 0

const positionOf = (steps: readonly Step[], status: PortingStatus): number => steps.findIndex(({ statuses }) => statuses.includes(status))

const stateAt = (position: number, present: number, status: PortingStatus): StepState => {
  if (position < present || (position === present && status === 500)) return 'done'
  if (position > present) return 'ahead'
  return stuckStatuses.includes(status) ? 'bad' : 'now'
}
