import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { secondsOf, secondsOfSound } from '#test/sound/tones.ts'
import { readWav } from '#test/sound/wav.ts'

const tone = 600

test("records a caller's message", async (t) => {
  if (!(await needs(t, 'baresip'))) return
  const exchange = await startExchange(t)
  const { userId } = exchange
  const phone = await exchange.newPhone(t, { tone })
  const absent = await exchange.newDevice()
  const { lineId, number } = await exchange.newLine(absent.deviceId)
  const [voicemail] = (await exchange.admin.listPhonelineVoicemails({ userId, phonelineId: lineId })).items
  assert.ok(voicemail)
  const own = { userId, phonelineId: lineId, voicemailId: voicemail.id }
  await exchange.admin.changePhonelineVoicemail(own, { active: true, timeout: 0, transcription: false })

  await phone.dial(`sip:${number}@${exchange.sip}`)
  await phone.event('CALL_ESTABLISHED')
  const files = join(exchange.data, '**/*.wav')
  const file = await until('the recording', () => globSync(files)[0])
  await until('two seconds of it', async () => {
    const { channels, rate } = await readWav(file)
    return channels[0] !== undefined && secondsOf(channels[0], rate, tone) >= 2
  })
  const [greeting] = await phone.heard()
  assert.ok(secondsOfSound(greeting?.channels[0] ?? new Float32Array(), greeting?.rate ?? 0) > 2, 'the greeting was heard')
  await phone.hangUp()

  const entry = await until('the message in the history', async () =>
    (await exchange.admin.listOwnHistory({ types: ['VOICEMAIL'] })).items.find((one) => one.target === number),
  )
  assert.ok((entry.duration ?? 0) >= 2)
  const { channels, rate } = await readWav(file)
  assert.equal(channels.length, 1)
  const samples = channels[0] ?? new Float32Array()
  const length = samples.length / rate
  assert.ok(secondsOf(samples, rate, tone) > 0.6 * length, `the tone fills the recording of ${length} s`)
  assert.ok(Math.abs(length - (entry.duration ?? 0)) <= 2)
})
