import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startBaresip, type Phone } from '../support/peers/baresip.ts'
import { needs } from '../support/peers/debian.ts'
import { until } from '../support/peers/peer-process.ts'
import { secondsOfSound } from '../support/peers/tones.ts'
import { silentWav } from '../support/peers/wav.ts'
import { temporaryFolder, type Scope } from '../support/temporary-folder.ts'
import { seriousViolations } from './accessibility.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

const timeout = 90_000
const rate = 8_000

/** A telephone of the demo user that says nothing. */
const silentPhone = async (t: Scope, { sip, notes }: Service): Promise<Phone> => {
  const says = join(await temporaryFolder(t), 'silence.wav')
  await writeFile(says, silentWav({ seconds: 60 }))
  const registrar = sip.replace('sip:', '')
  const phone = await startBaresip(t, { user: notes.sip.user, password: notes.sip.password, registrar, says })
  await phone.event('REGISTER_OK')
  return phone
}

/** Waits until the last second of what it hears is sound, or is silence. */
const hears = async (phone: Phone, what: 'music' | 'silence'): Promise<void> => {
  const length = async (): Promise<number> => (await phone.heard()).at(-1)?.channels[0]?.length ?? 0
  const before = await length()
  await until(
    what,
    async () => {
      const samples = (await phone.heard()).at(-1)?.channels[0] ?? new Float32Array()
      if (samples.length < before + rate) return undefined
      const seconds = secondsOfSound(samples.subarray(-rate), rate)
      return (what === 'music' ? seconds > 0.5 : seconds === 0) ? true : undefined
    },
    20_000,
  )
}

test('a running call of a SIP phone is held, retrieved and ended from the console', { timeout }, async (t) => {
  if (!(await needs(t, 'chromium', 'baresip'))) return
  const service = await startService(t)
  const phone = await silentPhone(t, service)
  const visitor = await openVisitor(await openBrowser(t), service)
  const { page } = visitor
  await visitor.logIn()
  await visitor.open('/calls')
  await page.getByText('Nobody is on the phone').waitFor()
  await phone.dial(service.notes.number)
  await phone.event('CALL_ESTABLISHED')
  const row = page.getByRole('table', { name: 'Running calls' }).getByRole('row').nth(1)
  await row.getByText('Talking').waitFor()
  await row.getByRole('link').click()
  await page.getByText('Talking').waitFor()
  await hears(phone, 'silence')

  await page.getByRole('button', { name: 'Hold' }).click()
  await page.getByRole('button', { name: 'Take back' }).waitFor()
  assert.deepEqual(
    (await service.api.listCalls()).data.map(({ hold }) => hold),
    [true],
  )
  await hears(phone, 'music')
  await page.getByRole('log').getByText('On hold').waitFor()
  assert.deepEqual(await seriousViolations(page), [])

  await page.getByRole('button', { name: 'Take back' }).click()
  await page.getByRole('button', { name: 'Hold' }).waitFor()
  await hears(phone, 'silence')
  await page.getByRole('log').getByText('Taken back from hold').waitFor()

  await page.getByRole('button', { name: 'Hang up' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Hang up' }).click()
  await phone.event('CALL_CLOSED')
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByText('A user or a program ended the call.').first().waitFor()
  assert.deepEqual(visitor.troubles(), [])
})
