import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { until } from '#test/machine/peer-process.ts'
import { assertSucceeded, startSipp } from '#test/peers/sipp.ts'
import { secondsOf } from '#test/sound/tones.ts'
import { readWav } from '#test/sound/wav.ts'

const tone = 600

test('shows ringing, talking and idle on a BLF', async (t) => {
  if (!(await needs(t, 'baresip')) || !(await needs(t, 'sipp'))) return
  const exchange = await startExchange(t)
  const [caller, called] = await Promise.all([exchange.newPhone(t, { tone }), exchange.newPhone(t, { tone })])
  const { lineId, number } = await exchange.newLine(called.deviceId)
  const login = await exchange.newDevice()
  const options = {
    scenario: 'phone-lamp',
    target: exchange.sip,
    service: lineId,
    login,
    keys: { from: login.user, domain: exchange.sip },
    // Sipp itself signs only the user part of an INVITE.
    more: ['-auth_uri', `${lineId}@${exchange.sip}`],
  }
  const lamp = await startSipp(t, options)
  const shows = (state: string): Promise<unknown> =>
    until(`the lamp shows ${state}`, async () => (await lamp.messages()).includes(`<state>${state}</state>`))

  await shows('terminated')
  await caller.dial(`sip:${number}@${exchange.sip}`)
  await called.event('CALL_INCOMING')
  await shows('early')
  await called.accept()
  await shows('confirmed')
  await caller.hangUp()
  const result = await lamp.result()
  assertSucceeded(result, options)
  assert.doesNotMatch(result.messages, new RegExp(`<dialog-info[^]*${number.slice(1)}[^]*</dialog-info>`), 'the far end is not told')
})

test('sends MWI for a waiting message, also after a restart, until it is heard', async (t) => {
  if (!(await needs(t, 'baresip'))) return
  const sip = `127.0.0.1:${await freePorts(t, 1)}`
  const exchange = await startExchange(t, { OFFHOOK_SIP: sip })
  const { userId } = exchange
  const caller = await exchange.newPhone(t, { tone })
  const phone = await exchange.newPhone(t, { tone, mwi: true })
  const lamp = (): string | undefined =>
    phone
      .log()
      .match(/Messages-Waiting: (yes|no)/g)
      ?.at(-1)
  const shows = (state: 'yes' | 'no'): Promise<unknown> => until(`the lamp says ${state}`, () => lamp() === `Messages-Waiting: ${state}`)
  await shows('no')

  const { lineId, number } = await exchange.newLine(phone.deviceId)
  const line = { userId, phonelineId: lineId }
  const [voicemail] = (await exchange.admin.listPhonelineVoicemails(line)).items
  await exchange.admin.changePhonelineVoicemail(
    { ...line, voicemailId: voicemail?.id ?? '' },
    { active: true, timeout: 0, transcription: false },
  )
  await caller.dial(`sip:${number}@${exchange.sip}`)
  await caller.event('CALL_ESTABLISHED')
  const file = await until('the recording', () => globSync(join(exchange.data, '**/*.wav'))[0])
  await until('two seconds of it', async () => {
    const { channels, rate } = await readWav(file)
    return channels[0] !== undefined && secondsOf(channels[0], rate, tone) >= 2
  })
  await caller.hangUp()
  await shows('yes')

  const before = phone.log().length
  exchange.program.child.kill('SIGKILL')
  await exchange.program.ended
  const again = await startExchange(t, { OFFHOOK_SIP: sip, OFFHOOK_DATA: exchange.data })
  await until('it is told again', () => phone.log().slice(before).includes('Messages-Waiting: yes'))
  const entry = (await again.admin.listOwnHistory({ types: ['VOICEMAIL'] })).items[0]
  await again.admin.changeOwnHistoryEntry({ entryId: entry?.id ?? '' }, { read: true })
  await shows('no')
})
