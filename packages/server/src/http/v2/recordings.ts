import { Problem } from '@offhook/contract/problem.ts'
import type { recordingOperations } from '@offhook/contract/v2/recordings.ts'
import { concurrentErase, eraseRecordings } from '#core/telephone/recordings/erase-recordings.ts'
import { findRecording, isSafeName } from '#core/telephone/recordings/recording-links.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { StoredRecording } from '#core/kernel/ports/store/recording.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import type { FileReply } from '../reply/send-file.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

export const recordingHandlers = ({
  store,
  clock,
  recordingFiles,
}: Pick<HandlerDeps, 'store' | 'clock' | 'recordingFiles'>): Handlers<typeof recordingOperations> => {
  /** Audits that a recording was played or erased. */
  const note = (tables: Tables, caller: UserCaller, action: string, { id, callId }: StoredRecording): Promise<void> =>
    auditByUser(tables, clock, caller, action, id, { callId })

  return {
    getRecording: async ({ caller, params }) => {
      const recording = await known(store.read, caller, params.recordingId)
      const file = await recordingFiles.join(await store.read.recordings.listParts(caller.accountId, recording.id))
      if (!file) throw new Problem('recording_not_found')
      try {
        await store.write((tables) => note(tables, caller, 'recording.read', recording))
      } catch (error) {
        await file.close()
        throw error
      }
      return { file, ...namesOf(recording, file) }
    },

    deleteRecording: async ({ caller, params }) => {
      const erased = await store.write(async (tables) => {
        const recording = await known(tables, caller, params.recordingId, 'CAN_CHANGE_HISTORY')
        await note(tables, caller, 'recording.erase', recording)
        return eraseRecordings(tables, [recording], clock.now())
      })
      await concurrentErase(recordingFiles, erased)
    },
  }
}

const known = async (tables: Tables, caller: UserCaller, id: string, permission?: 'CAN_CHANGE_HISTORY'): Promise<StoredRecording> => {
  const recording = isSafeName(id) ? await findRecording(tables, caller, id, permission) : undefined
  if (!recording) throw new Problem('recording_not_found')
  return recording
}

const namesOf = ({ id, kind, createdAt }: StoredRecording, { bytes, changedAt }: FileReply['file']): Pick<FileReply, 'name' | 'tag'> => {
  const when = new Date(createdAt).toISOString().slice(0, 19).replaceAll(':', '-')
  return { name: `${kind.toLowerCase()}-${when}Z.wav`, tag: `${id}.${bytes}.${changedAt}` }
}
