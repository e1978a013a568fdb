import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { breakableLine } from './breakable-line.ts'
import { hearsNoTone, hearsTone } from './page-tones.ts'
import { bar, dial, hearEachOther, incoming, newPerson } from './phone-people.ts'
import { startService } from './service.ts'
import { openBrowser, timeoutMs } from './visitor.ts'

test('what a phone in a browser has to bear', { timeout: 300_000 }, async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_SPEECH: 'off' }), openBrowser(t)])
  const line = await breakableLine(t, service.http)
  const [ada, bob] = await Promise.all([
    newPerson({ ...service, http: line.http }, browser, 'Ada', 620),
    newPerson(service, browser, 'Bob', 1150),
  ])

  await t.test(
    'a connection that breaks for a moment does not end the call, and what is recorded in it is heard in the history',
    async () => {
      await dial(ada, bob.number)
      await incoming(bob.page).getByRole('button', { name: 'Accept' }).click()
      await hearEachOther(ada, bob)
      const before = line.opened()
      line.breakSockets()
      await until('another connection', async () => line.opened() > before || undefined, timeoutMs)
      await bar(ada.page).getByRole('button', { name: 'Mute microphone' }).click()
      await hearsNoTone(bob.page, ada.tone)
      await bar(ada.page).getByRole('button', { name: 'Record', exact: true }).click()
      await bar(ada.page).getByRole('button', { name: 'Recording', pressed: true }).waitFor()
      await hearsTone(ada.page, bob.tone)
      await bar(ada.page).getByRole('button', { name: 'Hang up' }).click()
      await bar(bob.page).getByText('Call ended').waitFor()
      await bar(ada.page).getByRole('link', { name: 'Open this call' }).click()
      await ada.page.getByRole('button', { name: 'Play', exact: true }).click()
      await hearsTone(ada.page, bob.tone)
    },
  )

  await t.test('whose page is closed has hung up', async () => {
    await dial(ada, bob.number)
    await incoming(bob.page).getByRole('button', { name: 'Accept' }).click()
    await hearEachOther(ada, bob)
    await ada.page.close()
    const closed = Date.now()
    await bar(bob.page).getByText('Call ended').first().waitFor({ timeout: 8_000 })
    t.diagnostic(`ends ${Date.now() - closed} ms after the page was closed`)
  })

  await t.test('nothing else complains', () => {
    assert.deepEqual([ada, bob].map(({ visitor }) => visitor.troubles()).flat(), [])
  })
})
