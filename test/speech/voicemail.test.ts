import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { embeddedModels } from '#test/speech/embedded-models.ts'
import { readRecordedSpeech, recordedWords } from '#test/speech/recorded-speech.ts'
import { leaveMessage } from '#test/world/left-message.ts'
import { startWorld } from '#test/world/world.ts'
import { modelSizes, partsFor } from '#adapters/speech/models/model-list.ts'

const sizes = modelSizes({ OFFHOOK_ENGLISH: 'auto', OFFHOOK_WHISPER: 'auto', OFFHOOK_SPEECH_WORKERS: 0 })
const models = await embeddedModels(...partsFor(sizes).filter((part) => part.startsWith('stt')))
const skip = models.skip || (!existsSync(recordedWords) && process.env.CI !== 'true' && 'Debian’s recordings are not installed')

test('transcribes a voicemail, and finds it by its words', { skip }, async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_SPEECH: 'embedded' } })
  const ada = await world.newAccount()
  const spoken = (await readRecordedSpeech()).find(({ text }) => /conference/i.test(text))
  assert.ok(spoken)
  await leaveMessage(world, ada, 'm1', spoken.samples)
  await world.running.idle()
  const { items } = await ada.api.listOwnHistory({ search: 'conference' })
  assert.match(items[0]?.transcription ?? '', /conference/i, spoken.text)
  assert.equal(items[0]?.messageText?.state, 'DONE')
})
