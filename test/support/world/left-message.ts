import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { scheduleTranscription } from '#core/account/notifications/schedule-transcription.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import { writeSamples } from '../sound/wav.ts'
import type { Person, World } from './world.ts'

/** Message as the telephone side stores it, with its job. */
export const leaveMessage = async (world: World, { accountId, userId }: Person, id: string, sound: Int16Array): Promise<void> => {
  const { recordingFiles } = world.running.deps
  const path = recordingFiles.pathOf({ accountId, id })
  await mkdir(dirname(path), { recursive: true })
  await writeSamples(path, sound, 8_000)
  await recordingFiles.written({ accountId, id })
  const now = world.clock.now()
  const entry: HistoryEntry = {
    id,
    userId,
    sessionId: `s-${id}`,
    type: 'VOICEMAIL',
    direction: 'INCOMING',
    source: '+4915112345678',
    target: '+4921112345678',
    sourceAlias: '',
    targetAlias: 'Desk',
    status: 'NOPICKUP',
    connectionIds: ['p0', 'v0'],
    endpoints: [],
    createdAt: now,
    modifiedAt: now,
    read: false,
    archived: false,
    starred: false,
    note: '',
    labels: [],
    detail: { duration: 3, recordings: [{ id }], messageText: { state: 'PENDING' } },
  }
  await world.write(async (tables) => {
    await tables.history.insert(accountId, entry)
    await scheduleTranscription(tables, accountId, entry)
  })
}
