import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { incomingFax } from '#core/messages/fax/state/new-fax.ts'
import type { HistoryDetail, HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Person, World } from '../world/world.ts'
import type { Planted } from './planted.ts'

interface Event {
  type: HistoryEntry['type']
  id?: string
  number: string
  alias?: string
  note?: string
  labels?: string[]
  detail?: HistoryDetail
}

/** History entry as the telephone side writes it. */
export const enterEvent = async (world: World, { accountId, userId }: Person, event: Event): Promise<string> => {
  const { type, id = randomUUID(), number, alias = '', note = '', labels = [], detail = {} } = event
  const at = world.clock.now()
  await world.write((tables) =>
    tables.history.insert(accountId, {
      id,
      userId,
      sessionId: id,
      type,
      direction: 'INCOMING',
      source: number,
      target: '+4921112345678',
      sourceAlias: alias,
      targetAlias: '',
      status: 'PICKUP',
      connectionIds: [],
      endpoints: [],
      detail,
      createdAt: at,
      modifiedAt: at,
      read: true,
      archived: false,
      starred: false,
      note,
      labels,
    }),
  )
  return id
}

/** Recorded call: entry, row and file. */
export const recordEvent = async (world: World, person: Person, event: Event, content: string): Promise<void> => {
  const { accountId } = person
  const { recordingFiles } = world.running.deps
  const id = randomUUID()
  const path = recordingFiles.pathOf({ accountId, id })
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  await recordingFiles.written({ accountId, id })
  const callId = await enterEvent(world, person, { ...event, detail: { ...event.detail, recordings: [{ id }] } })
  const facts = { createdAt: world.clock.now(), durationMs: 60, bytes: content.length, truncated: false }
  const kind = event.type === 'VOICEMAIL' ? 'VOICEMAIL' : 'CALL'
  await world.write((tables) => tables.recordings.insert({ id, accountId, callId, kind, ...facts }))
}

/** Received fax: entry, row and files. */
export const faxEvent = async (world: World, person: Person, sender: string, content: string): Promise<void> => {
  const { accountId, userId } = person
  const id = randomUUID()
  const fax = incomingFax({ accountId, id, userId, faxlineId: 'f0', sender, recipient: '+49302', owner: undefined }, world.clock.now())
  await world.write((tables) => tables.faxes.insert({ ...fax, state: 'RECEIVED', pages: 1 }))
  for (const kind of ['document', 'preview'] as const)
    await world.running.deps.faxFiles.write({ accountId, faxId: id, kind }, Buffer.from(content))
  await enterEvent(world, person, { type: 'FAX', id, number: sender, detail: { papers: ['document', 'preview'] } })
}

/** Caller without an account: calls, voicemails, SMS and faxes of a number, with all their content. */
export const plantCaller = async (world: World, person: Person, planted: Planted, number: string): Promise<void> => {
  const word = (): string => planted.word()
  const note = `${word()} ${word()}`
  await enterEvent(world, person, { type: 'CALL', number, alias: planted.name(), note, labels: [word()] })
  await recordEvent(world, person, { type: 'CALL', number }, `the sound of ${word()}`)
  const transcription = `${word()} called, ${word()}`
  await recordEvent(world, person, { type: 'VOICEMAIL', number, detail: { transcription, messageText: { state: 'DONE' } } }, word())
  await faxEvent(world, person, number, `a page about ${word()}`)
  await enterEvent(world, person, { type: 'SMS', number, detail: { smsContent: `an SMS about ${word()}` } })
}
