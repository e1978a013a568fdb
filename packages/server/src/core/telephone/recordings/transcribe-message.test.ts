import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { leaveMessage } from '#test/world/left-message.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { toneSound } from '#adapters/speech/tones/tone-speech.ts'
import { textTimeoutMs } from '#core/account/notifications/schedule-transcription.ts'

const mailsOf = async (world: World): Promise<string[]> => {
  await world.running.idle()
  const folder = join(world.data, 'mail')
  const files = await readdir(folder).catch(() => [])
  return Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
}

const askForMails = (world: World, { accountId, userId }: Person) =>
  world.write((tables) =>
    tables.notifications.insert(accountId, userId, {
      type: 'VOICEMAIL',
      endpointId: 'v0',
      via: 'EMAIL',
      recipient: 'ada@example.com',
      direction: 'ALL',
    }),
  )

for (const database of databases)
  test(`${database}: transcribes a message, mails it and makes it searchable, and reports a silent one`, async (t) => {
    const world = await startWorld(t, { database, settings: { OFFHOOK_SPEECH: 'tones' } })
    const ada = await world.newAccount()
    await askForMails(world, ada)
    await leaveMessage(world, ada, 'm1', toneSound('please call the plumber'))
    const [mail, ...others] = await mailsOf(world)
    assert.match(mail ?? '', /please call the plumber/)
    assert.equal(others.length, 0)
    const { items } = await ada.api.listOwnHistory({ search: 'plumber' })
    assert.deepEqual(
      items.map(({ id, transcription, messageText }) => [id, transcription, messageText?.state]),
      [['m1', 'please call the plumber', 'DONE']],
    )
    await leaveMessage(world, ada, 'm2', new Int16Array(16_000))
    assert.ok((await mailsOf(world)).some((one) => one.includes('No sound arrived')))
    assert.equal((await ada.api.getOwnHistoryEntry({ entryId: 'm2' })).messageText?.state, 'SILENT')

    await ada.api.transcribeEntry({ entryId: 'm1' })
    assert.equal((await mailsOf(world)).length, 2, 'nobody is told again')
    assert.equal((await ada.api.getOwnHistoryEntry({ entryId: 'm1' })).messageText?.state, 'DONE')
    await assert.rejects(ada.api.transcribeEntry({ entryId: 'm3' }), { status: 404 })
  })

test('mails without text when transcription is unavailable, and stops waiting for a text that never arrives', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  await askForMails(world, ada)
  await leaveMessage(world, ada, 'm1', toneSound('hello'))
  assert.equal((await mailsOf(world)).length, 1)
  assert.equal((await ada.api.getOwnHistoryEntry({ entryId: 'm1' })).messageText?.state, 'UNAVAILABLE')
  await assert.rejects(ada.api.transcribeEntry({ entryId: 'm1' }), { status: 503 })

  await leaveMessage(world, ada, 'm2', toneSound('hello'))
  await world.write((tables) => tables.jobs.cancel(`voicemail.transcribe:${ada.accountId}:m2`))
  await world.clock.advance(textTimeoutMs)
  assert.equal((await mailsOf(world)).length, 2)
})
