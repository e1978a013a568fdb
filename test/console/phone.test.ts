import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { hearsNoTone, hearsTone } from './page-tones.ts'
import { bar, dial, haveTwoWayAudio, incoming, newPerson, press } from './phone-people.ts'
import { startService } from './service.ts'
import { assertFits, openBrowser } from './visitor.ts'

test('connects calls between browsers', { timeout: 300_000 }, async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_SPEECH: 'off' }), openBrowser(t)])
  const [ada, bob, cora] = await Promise.all([
    newPerson(service, browser, 'Ada', 620),
    newPerson(service, browser, 'Bob', 1150),
    newPerson(service, browser, 'Cora', 1900),
  ])

  await t.test('rings the callee on another page, answers, and has two-way audio', async () => {
    await bob.visitor.go('/contacts')
    await dial(ada, bob.number)
    await incoming(bob.page).waitFor()
    assert.match(await bob.page.title(), /^Incoming call: /)
    assert.deepEqual(await seriousViolations(bob.page), [])
    await incoming(bob.page).getByRole('button', { name: 'Accept' }).click()
    await haveTwoWayAudio(ada, bob)
    await ada.visitor.go('/calls')
    await bar(ada.page).getByRole('timer').waitFor()
    assert.deepEqual(await seriousViolations(ada.page), [])
    assert.equal(await ada.page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))"), true, 'leaving asks')
  })

  await t.test('mutes, holds and sends keys', async () => {
    await bar(ada.page).getByRole('button', { name: 'Mute microphone' }).click()
    await hearsNoTone(bob.page, ada.tone)
    await bar(ada.page).getByRole('button', { name: 'Mute microphone', pressed: true }).click()
    await hearsTone(bob.page, ada.tone)
    await bar(ada.page).getByRole('button', { name: 'Hold', exact: true }).click()
    await hearsNoTone(bob.page, ada.tone)
    await bar(ada.page).getByRole('button', { name: 'Resume' }).click()
    await haveTwoWayAudio(ada, bob)
    await bar(ada.page).getByRole('button', { name: 'Keypad' }).click()
    await bar(ada.page).getByRole('group', { name: 'Keypad' }).getByRole('button', { name: '5' }).click()
    await bar(ada.page).getByText('Keys pressed: 5').waitFor()
    await bar(ada.page).getByRole('button', { name: 'Keypad', expanded: true }).click()
  })

  await t.test('queues a second call, answers it while the first is held, and joins both', async () => {
    await dial(cora, ada.number)
    await incoming(ada.page).getByRole('button', { name: 'Hold and accept' }).click()
    await haveTwoWayAudio(ada, cora)
    await bar(ada.page).getByRole('button', { name: 'Switch to this call' }).click()
    await haveTwoWayAudio(ada, bob)
    await bar(ada.page)
      .getByRole('button', { name: /^Connect / })
      .click()
    await haveTwoWayAudio(bob, cora)
    await bar(ada.page).getByText('Call ended').first().waitFor()
    await bar(bob.page).getByRole('button', { name: 'Record', exact: true }).click()
    await bar(bob.page).getByRole('button', { name: 'Recording', pressed: true }).click()
    await bar(bob.page).getByRole('button', { name: 'Record', exact: true }).waitFor()
  })

  await t.test('transfers a call to another number', async () => {
    await bar(bob.page).getByRole('button', { name: 'Transfer' }).click()
    await bob.page.getByRole('combobox', { name: 'To', exact: true }).fill(ada.number)
    await press(bob.page, 'Transfer now')
    await incoming(ada.page).getByRole('button', { name: 'Accept' }).click()
    await haveTwoWayAudio(ada, cora)
    await press(cora.page, 'Hang up')
    await bar(ada.page).getByText('Call ended').first().waitFor()
  })

  await t.test('stops ringing after a decline, and informs the caller', async () => {
    await dial(ada, bob.number)
    await incoming(bob.page).getByRole('button', { name: 'Decline (to voicemail)' }).click()
    await bar(ada.page).getByText('Declined').waitFor()
    await incoming(bob.page).waitFor({ state: 'hidden' })
  })

  await t.test('shows the round-trip time in the echo test', async () => {
    await ada.visitor.go('/phone')
    await press(ada.page, 'Start echo test')
    await ada.page.getByText(/^Round trip: \d+ ms$/).waitFor()
    await press(ada.page, 'Hang up')
    await assertFits(ada.page, '/phone')
  })

  await t.test('reports no browser errors without a call', () => {
    assert.deepEqual([ada, bob, cora].map(({ visitor }) => visitor.troubles()).flat(), [])
  })
})
