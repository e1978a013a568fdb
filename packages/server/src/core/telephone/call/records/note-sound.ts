import type { SoundState } from '#core/kernel/ports/telephony.ts'
import type { Station } from '../state/party.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'

/** Keeps the last trouble with the sound of a phone, for its administrators. The call does not wait for it. */
export const noteSound = (
  { store, clock, tasks, onFailure }: RecordWriter,
  callId: string,
  { accountId, deviceId }: Station,
  state: SoundState,
): void => {
  const written = store.write(({ devices }) =>
    state === 'heard'
      ? devices.forgetSound(accountId, deviceId, callId)
      : devices.noteSound(accountId, deviceId, { state, callId, at: Math.round(clock.now()) }),
  )
  tasks.track(written).catch((error: unknown) => onFailure(error, callId))
}
