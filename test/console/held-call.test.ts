import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startBaresip, type Phone } from '../support/peers/baresip.ts'
import { needs } from '../support/peers/debian.ts'
import { until } from '../support/peers/peer-process.ts'
import { silentWav } from '../support/peers/wav.ts'
import { temporaryFolder, type Scope } from '../support/temporary-folder.ts'
import { seriousViolations } from './accessibility.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

const timeout = 90_000

/** A telephone of the demo user that says nothing. */
const silentPhone = async (t: Scope, { sip, notes }: Service): Promise<Phone> => {
  const says = join(await temporaryFolder(t), 'silence.wav')
  await writeFile(says, silentWav({ seconds: 60 }))
  const registrar = sip.replace('sip:', '')
  const phone = await startBaresip(t, { user: notes.sip.user, password: notes.sip.password, registrar, says, traced: true })
  await phone.event('REGISTER_OK')
  return phone
}

/** Waits until the phone has agreed to only listen, or to talk again: what its newest answer says. */
const agreesTo = (phone: Phone, wanted: 'recvonly' | 'sendrecv'): Promise<unknown> =>
  until(wanted, () => {
    const newest = [...phone.log().matchAll(/^a=(sendrecv|sendonly|recvonly|inactive)/gm)].at(-1)?.[1]
    return newest === wanted ? true : undefined
  })

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
  await agreesTo(phone, 'sendrecv')

  await page.getByRole('button', { name: 'Hold' }).click()
  await page.getByRole('button', { name: 'Take back' }).waitFor()
  assert.deepEqual(
    (await service.api.listCalls()).data.map(({ hold }) => hold),
    [true],
  )
  await agreesTo(phone, 'recvonly')
  await page.getByRole('log').getByText('On hold').waitFor()
  assert.deepEqual(await seriousViolations(page), [])

  await page.getByRole('button', { name: 'Take back' }).click()
  await page.getByRole('button', { name: 'Hold' }).waitFor()
  await agreesTo(phone, 'sendrecv')
  await page.getByRole('log').getByText('Taken back from hold').waitFor()

  await page.getByRole('button', { name: 'Hang up' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Hang up' }).click()
  await phone.event('CALL_CLOSED')
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByText('A user or a program ended the call.').first().waitFor()
  assert.deepEqual(visitor.troubles(), [])
})
