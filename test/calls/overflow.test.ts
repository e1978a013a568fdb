import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Overflow } from '@offhook/contract/v1/routing.ts'
import { offhook, output } from '#test/machine/program.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { startSipp } from '#test/peers/sipp.ts'
import { startExchange } from '#test/service/exchange.ts'
import { hearsWords } from '#test/sound/heard-words.ts'
import { secondsOf } from '#test/sound/tones.ts'
import { readWav } from '#test/sound/wav.ts'

const callers = 600

test('applies overflow rules to third-party phones that do not answer or are busy', { timeout: 90_000 }, async (t) => {
  if (!(await needs(t, 'baresip', 'sipp'))) return
  const exchange = await startExchange(t, { OFFHOOK_SPEECH: 'tones' })
  const { admin, userId, data, sip } = exchange
  const [phone, quiet, desk] = await Promise.all([
    exchange.newPhone(t, { tone: callers }),
    exchange.newPhone(t, { tone: 0 }), // an assistant does not greet a caller who speaks
    exchange.newPhone(t, {}),
  ])
  const [flow] = (await admin.listFlows()).items
  const ruled = async (number: string, overflow: Overflow[]): Promise<string> => {
    const target = (await admin.listNumbers()).items.find((one) => one.number === number)?.endpointId ?? assert.fail()
    await admin.setRouting({ target }, { rules: [], overflow })
    return target
  }
  const explained = async (callId: string, language: string): Promise<string> => {
    const [code, words, complaint] = await output(offhook(t, ['explain', callId, '--language', language], { OFFHOOK_DATA: data }))
    assert.equal(code, 0, complaint)
    return words
  }
  const newest = (type: 'CALL' | 'VOICEMAIL', number: string) =>
    until('the entry', async () => (await admin.listHistory({ userId, types: [type] })).items.find(({ target }) => target === number))

  await t.test('routes to the assistant after five seconds without answer, and explain names the rule', async () => {
    const { number } = await exchange.newLine(desk.deviceId)
    await ruled(number, [{ after: 5, action: 'FLOW', to: flow?.id ?? '' }])
    await quiet.dial(`sip:${number}@${sip}`)
    await desk.event('CALL_INCOMING')
    await hearsWords(quiet, 'Hello')
    await desk.event('CALL_CLOSED')
    await quiet.hangUp()
    const { callId = '' } = await newest('CALL', number)
    assert.match(await explained(callId, 'en'), /A rule of Line led the call\. Nobody answered: assistant Demo/)
    assert.match(await explained(callId, 'de'), /Eine Regel von Line hat den Anruf geleitet\. Niemand/)
  })

  await t.test('routes to the voicemail when the phone is busy, and records the message', async (t) => {
    const number = await exchange.numberOf(t, await startSipp(t, { scenario: 'uas-486' }))
    const target = await ruled(number, [])
    const line = { userId, phonelineId: target }
    for (const { id } of (await admin.listPhonelineVoicemails(line)).items)
      await admin.changePhonelineVoicemail({ ...line, voicemailId: id }, { active: true, timeout: 60, transcription: false })
    await ruled(number, [{ after: 'BUSY', action: 'VOICEMAIL' }])
    await phone.dial(`sip:${number}@${sip}`)
    const file = await until('the recording', () => globSync(join(data, 'recordings/**/*.wav'))[0], 30_000)
    await until('a second of it', async () => {
      const { channels, rate } = await readWav(file)
      return channels[0] !== undefined && secondsOf(channels[0], rate, callers) >= 1
    })
    await phone.hangUp()
    const { callId = '' } = await newest('VOICEMAIL', number)
    assert.match(await explained(callId, 'en'), /Busy: voicemail/)
  })
})
