import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { HistoryDetail } from '#core/kernel/ports/store/call.ts'
import { anEntry } from '../store/an-entry.ts'
import type { Person, World } from '../world/world.ts'

/** Recorded call of a user with a number; returns the bytes of the recording. */
export const plantCall = async (world: World, { accountId, userId }: Person, number: string, note: string): Promise<Buffer> => {
  const [id, callId] = [randomUUID(), randomUUID()]
  const sound = randomBytes(2_000)
  const path = world.running.deps.recordingFiles.pathOf({ accountId, id })
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, sound)
  const at = world.clock.now()
  await world.write(async (tables) => {
    const recording = { id, accountId, callId, kind: 'CALL', createdAt: at, durationMs: 60, bytes: sound.length, truncated: false } as const
    await tables.recordings.insert(recording)
    const detail: HistoryDetail = { duration: 1, callStatus: 'SUCCESS', recordings: [{ id }] }
    const times = { createdAt: at, modifiedAt: at }
    await tables.history.insert(accountId, anEntry(randomUUID(), { userId, sessionId: callId, source: number, note, detail, ...times }))
  })
  return sound
}

/** Texts of all mails that the service has written. */
export const mailsIn = async (world: World): Promise<string[]> => {
  const folder = `${world.data}/mail`
  const names = await readdir(folder).catch(() => [])
  return Promise.all(names.map((name) => readFile(`${folder}/${name}`, 'utf8')))
}
