import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { secondsOf } from '#test/sound/tones.ts'
import { readWav } from '#test/sound/wav.ts'

const tone = 600

test('plays a message by phone, returns it in the history, and deletes it by a key', async (t) => {
  if (!(await needs(t, 'baresip'))) return
  const exchange = await startExchange(t)
  const { userId, admin } = exchange
  const caller = await exchange.newPhone(t, { tone })
  const absent = await exchange.newDevice()
  const { lineId, number } = await exchange.newLine(absent.deviceId)
  const [voicemail] = (await admin.listPhonelineVoicemails({ userId, phonelineId: lineId })).items
  assert.ok(voicemail)
  const own = { userId, phonelineId: lineId, voicemailId: voicemail.id }
  await admin.changePhonelineVoicemail(own, { active: true, timeout: 0, transcription: false })
  await caller.dial(`sip:${number}@${exchange.sip}`)
  const file = await until('the recording', () => globSync(join(exchange.data, 'recordings/**/*.wav'))[0])
  await until('two seconds of it', async () => {
    const { channels, rate } = await readWav(file)
    return channels[0] !== undefined && secondsOf(channels[0], rate, tone) >= 2
  })
  await caller.hangUp()
  const messages = async () => (await admin.listOwnHistory({ types: ['VOICEMAIL'] })).items
  const message = await until('the message in the history', async () => (await messages())[0])
  const fetched = await fetch(message.recordingUrl ?? '')
  assert.deepEqual([fetched.status, fetched.headers.get('content-type')], [200, 'audio/wav'])
  const path = join(exchange.data, 'fetched.wav')
  await writeFile(path, Buffer.from(await fetched.arrayBuffer()))
  const sound = await readWav(path)
  assert.ok(secondsOf(sound.channels[0] ?? new Float32Array(), sound.rate, tone) >= 2)

  const listener = await exchange.newPhone(t, {})
  await listener.dial(`sip:${voicemail.accessNumber}@${exchange.sip}`)
  await listener.hears(tone, 2)
  await listener.press('3')
  await until('nothing is left of it', async () => !existsSync(file) && (await messages()).length === 0)
  assert.equal((await fetch(message.recordingUrl ?? '')).status, 404)
  await listener.event('CALL_CLOSED')
})
