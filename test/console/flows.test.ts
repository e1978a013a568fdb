import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualExtendedEvents } from '@offhook/contract/assistant/events.ts'
import { listen } from '@offhook/sdk'
import { startCustomer } from '#test/http/customer-endpoint.ts'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { finishedTalk } from './examples.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor, settled } from './visitor.ts'

/** Replies with a greeting and with an unknown action. */
const assistant = (body: string): string => {
  const { session } = JSON.parse(body) as { session: { id: string } }
  return JSON.stringify([
    { type: 'speak', session_id: session.id, text: 'Hello from the test' },
    { type: 'sing', session_id: session.id },
  ])
}

test('manages flows', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const customer = await startCustomer(t, ({ body }, response) => response.end(assistant(body)))
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' }), openBrowser(t)])
  const { api, http, notes } = service

  await t.test('creates, configures and tests a flow, renews its secret and deletes it', async () => {
    const { page, logIn, open, troubles } = await openVisitor(browser, service)
    await logIn()
    await open('/flows')
    await page.getByRole('button', { name: 'New assistant' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'My own endpoint' }).click()
    await dialog.getByLabel('Name').fill('Reception')
    await dialog.getByLabel('Address of the webhook').fill('nonsense')
    await dialog.getByRole('button', { name: 'Create assistant' }).click()
    await dialog.getByText('This is not an address such as https://example.com', { exact: false }).first().waitFor()
    assert.match(troubles().join(), /400/, 'Chromium itself complains about the refusal')
    await dialog.getByLabel('Address of the webhook').fill(`http://${customer.address}/hook`)
    await dialog.getByRole('button', { name: 'Create assistant' }).click()
    await page.getByText(/whsec_/).waitFor()
    await page.getByRole('dialog').getByRole('button').last().click()

    await page.getByRole('heading', { name: 'Reception' }).waitFor()
    const flow = (await api.listFlows()).items.find(({ name }) => name === 'Reception')
    assert.ok(flow)
    await page.getByLabel('Name').fill('')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Fill this in.').waitFor()
    assert.match(troubles().join(), /400/, 'Chromium itself complains about the refusal')
    assert.equal(await page.locator('input:focus').inputValue(), '', 'what was refused is where one goes on')
    await page.getByLabel('Name').fill('Reception')
    for (const part of ['Turn taking', 'Transfers', 'More events', 'Calls'])
      await page.getByRole('heading', { name: part, exact: true }).click()
    await page.getByLabel('Characters needed to interrupt').fill('5')
    await page.getByRole('combobox', { name: 'Allowed targets' }).fill('+4930*')
    await page.keyboard.press('Enter')
    await page.getByRole('checkbox', { name: 'dtmf_received' }).check()
    await page.getByRole('switch', { name: /^Record every call/ }).check()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })
    const { webhookUrl, barge_in, transfer_targets, extended_events, recording } = await api.getFlow({ aiFlowId: flow.id })
    assert.deepEqual([webhookUrl, barge_in], [`http://${customer.address}/hook`, { minimum_characters: 5 }])
    assert.deepEqual([transfer_targets, extended_events, recording], [['+4930*'], ['dtmf_received'], true])

    await page.getByRole('link', { name: 'Test endpoint' }).click()
    await page.getByLabel('Event', { exact: true }).selectOption('user_speak')
    await page.getByLabel('What the caller says').fill('Is anybody there?')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('The endpoint answered').waitFor()
    assert.match(await page.getByLabel('Understood').innerText(), /Hello from the test/)
    await page.getByText(/Action 2 \(sing\)/).waitFor()
    assert.match(customer.received.at(-1)?.body ?? '', /Is anybody there\?/)
    assert.deepEqual(await seriousViolations(page), [])

    await page.getByRole('link', { name: 'Signing secrets' }).click()
    await page.getByRole('button', { name: 'New secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
    await page.getByText(/whsec_/).waitFor()
    await page.getByRole('dialog').getByRole('button').last().click()
    assert.equal((await api.listFlowSecrets({ aiFlowId: flow.id })).items.length, 2)

    await page.getByRole('main').getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('heading', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete assistant' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete assistant' }).click()
    await page.waitForURL(/\/flows$/)
    assert.equal((await api.listFlows()).items.length, 1)
    assert.deepEqual(troubles(), [])
  })

  await t.test('offers more events for a connected endpoint: adds them with one click, and keeps the existing ones', async () => {
    const webhookUrl = `http://${customer.address}/hook`
    const named = ['user_speak_preview', 'user_speak_revoked'] as const
    const { id: aiFlowId } = await api.createFlow({}, { name: 'Ahead', webhookUrl, turn_taking: 'patient', extended_events: [...named] })
    const { page, logIn, open, troubles } = await openVisitor(browser, service, { language: 'de' })
    await logIn()
    await open(`/flows/${aiFlowId}`)
    const take = page.getByRole('button', { name: 'Alle üblichen Ereignisse senden' })
    await take.waitFor()
    assert.deepEqual(await seriousViolations(page), [])
    await take.click()
    await take.waitFor({ state: 'detached' })
    const { extended_events, turn_taking } = await api.getFlow({ aiFlowId })
    assert.deepEqual([extended_events, turn_taking], [[...named, ...usualExtendedEvents], 'patient'])
    await page.getByRole('heading', { name: 'Weitere Ereignisse', exact: true }).click()
    assert.equal(await page.getByRole('checkbox', { name: 'user_speech_unclear' }).isChecked(), true)

    await api.changeFlow({ aiFlowId }, { name: 'Ahead', webhookUrl })
    await open(`/flows/${aiFlowId}`)
    await page.getByRole('button', { name: 'Nein, danke' }).click()
    await take.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'Weitere Ereignisse', exact: true }).click()
    await page.getByRole('button', { name: 'Alle üblichen', exact: true }).click()
    assert.equal(await take.count(), 0, 'it stays declined')
    await page.getByRole('button', { name: 'Änderungen speichern' }).click()
    await page.getByRole('button', { name: 'Änderungen speichern' }).waitFor({ state: 'detached' })
    assert.equal((await api.getFlow({ aiFlowId })).extended_events, true)
    await api.deleteFlow({ aiFlowId })
    assert.deepEqual(troubles(), [])
  })

  await t.test("lists the endpoint's events in the log, and redelivers the end of a session", async () => {
    await finishedTalk(service)
    const { page, logIn, open, troubles } = await openVisitor(browser, service)
    await logIn()
    await open(`/flows/${notes.flowId}/deliveries`)
    await page.getByRole('cell', { name: 'user_speak' }).first().waitFor()
    await page.getByRole('button', { name: 'Actions for session_end' }).first().click()
    await page.getByRole('menuitem', { name: 'Send again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    await page.getByText('Sending again.').waitFor()
    // Clicks anywhere in the row.
    await page
      .getByRole('row', { name: /user_speak/ })
      .first()
      .getByRole('cell')
      .nth(2)
      .click()
    await page.getByRole('dialog').getByText('The endpoint received it and answered.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Status').selectOption('dead')
    await page.getByText('No matching requests.').waitFor()
    assert.deepEqual(troubles(), [])
  })

  await t.test('shows a connected listener, and sends a test to it', async () => {
    const stop = new AbortController()
    const ready = Promise.withResolvers<void>()
    const to = `http://${customer.address}/local`
    const options = { baseUrl: http, token: notes.token, flowId: notes.flowId, to, signal: stop.signal }
    const listening = listen({ ...options, onReady: () => ready.resolve() })
    await ready.promise
    const { page, logIn, open, troubles } = await openVisitor(browser, service, { language: 'de' })
    await logIn()
    await open(`/flows/${notes.flowId}/test`)
    await page.getByText('Wird mitgehört').waitFor()
    await page.getByRole('button', { name: 'Senden' }).click()
    await page.getByText('Der Endpunkt hat geantwortet').waitFor()
    assert.equal(customer.received.at(-1)?.path, '/local')
    stop.abort()
    await listening
    assert.deepEqual(troubles(), [])
  })

  await t.test('shows flows read-only to a user without the permission', async () => {
    const { accountId } = notes
    const person = { email: 'reader@offhook.local', password: 'correct horse battery staple' }
    await service.operator.createUser({}, { accountId, firstname: 'Just', lastname: 'Looking', admin: false, ...person })
    const { page, logIn, open } = await openVisitor(browser, { ...service, notes: { ...notes, ...person } })
    await logIn()
    await open('/flows')
    await page.getByRole('link', { name: 'Demo' }).click()
    await page.getByText('You can view this assistant but not change it.').waitFor()
    await settled(page)
    assert.equal(await page.getByLabel('Name').isDisabled(), true)
    assert.equal(await page.getByRole('link', { name: 'Signing secrets' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Delete assistant' }).count(), 0)
  })
})
