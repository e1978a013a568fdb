import type { CallSnapshot, RunningRecording } from '../ports/store/running-calls.ts'
import type { SavedDialog } from '../ports/telephony.ts'
import type { Call } from './call.ts'
import type { SavedMeter } from './prepaid.ts'
import type { KeptSound, Side } from './story.ts'

/** What is left of a call whose process is gone. */
export interface LostCall {
  startedAt: number
  sides: Side[]
  meters: SavedMeter[]
  recordings: readonly RunningRecording[]
  dialogs: readonly SavedDialog[]
}

/** Everything that somebody else needs to end the call, as it is now. */
export const snapshotOf = ({ startedAt, story, parties, meters }: Call, recordings: readonly RunningRecording[]): CallSnapshot => ({
  startedAt,
  sides: story.sides.map((side) => ({ ...side, connections: [...side.connections] })),
  meters: meters.map(({ saved }) => saved),
  recordings,
  dialogs: parties.map(({ leg }) => leg.dialog()).filter((dialog) => dialog !== undefined),
})

type SavedSide = Omit<Side, 'connections'> & { connections: readonly string[] }

/** JSON knows no Set and forgets what is undefined; a side that lacks it reads the same. Throws when it makes no sense. */
export const readSnapshot = ({ startedAt, sides, meters, recordings, dialogs }: CallSnapshot): LostCall => ({
  startedAt,
  sides: (sides as readonly SavedSide[]).map((side) => ({ ...side, connections: new Set(side.connections) })),
  meters: meters as SavedMeter[],
  recordings,
  dialogs,
})

/** A file that was being written when everything stopped. */
export const addSound = (sides: readonly Side[], { accountId, kind }: RunningRecording, sound: KeptSound): void => {
  const side = sides.find((one) => one.accountId === accountId)
  if (!side) return
  if (kind === 'VOICEMAIL') side.message = sound
  else side.recordings.push(sound)
}
