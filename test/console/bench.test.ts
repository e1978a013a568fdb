import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTalk } from '#cli/say/typed-talk.ts'
import { startCustomer } from '#test/http/customer-endpoint.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, settled, timeoutMs } from './visitor.ts'

/** Greets, and answers with the opening hours. */
const answerTo = (body: string, hours: string): string => {
  const { type, session } = JSON.parse(body) as { type: string; session: { id: string } }
  const text = type === 'session_start' ? 'Welcome to the shop.' : type === 'user_speak' ? hours : undefined
  return JSON.stringify(text === undefined ? [] : [{ type: 'speak', session_id: session.id, text }])
}

/** Call in which everything is typed and played to its end. */
const heldCall = async ({ api }: Service, aiFlowId: string): Promise<string> => {
  const talk = await openTalk({ api }, aiFlowId, () => undefined)
  const { callId } = talk
  const spoken = (words: string) =>
    until(words, async () => (await api.getTimeline({ callId })).items.some((one) => one.kind === 'spoke' && one.text === words), timeoutMs)
  await spoken('Welcome to the shop.')
  talk.send({ type: 'text', text: 'When are you open?' })
  await spoken('From nine to five.')
  talk.send({ type: 'hangup' })
  await talk.ended
  return callId
}

test('runs the developer bench', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  let hours = 'From nine to five.'
  const customer = await startCustomer(t, ({ body }, response) => response.end(answerTo(body, hours)))
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' }), openBrowser(t)])
  const { api } = service
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Shop', webhookUrl: `http://${customer.address}/` })
  const callId = await heldCall(service, aiFlowId)
  const { page, logIn, open, go, troubles } = await openVisitor(browser, service)
  await logIn()

  await t.test('explains a call, and pins it as a test that passes', async () => {
    await open(`/calls/${callId}`)
    const why = page.getByRole('region', { name: 'What happened and why' })
    await why.getByRole('list', { name: 'Waiting times' }).getByText('When are you open?').waitFor()
    assert.deepEqual(await seriousViolations(page), [])
    await why.getByRole('button', { name: 'Save as test' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the test').fill('opening hours')
    await dialog.getByRole('switch', { name: 'Also compare the wording' }).check()
    await dialog.getByRole('list', { name: 'Steps' }).getByText('From nine to five').waitFor()
    assert.deepEqual(await seriousViolations(page), [])
    await dialog.getByRole('button', { name: 'Save test' }).click()
    await dialog.waitFor({ state: 'detached' })
    await go(`/flows/${aiFlowId}/tests`)
    await page.getByRole('table', { name: 'Tests' }).getByText('opening hours').waitFor()
    await page.getByRole('button', { name: 'Run all' }).click()
    await page.getByText('1 of 1 passed').waitFor()
    assert.deepEqual(await seriousViolations(page), [])
  })

  await t.test('fails the test with another endpoint, and shows the difference in the replay', async () => {
    hours = 'We are closed.'
    await page.getByRole('button', { name: 'Run all' }).click()
    await page.getByText('0 of 1 passed').waitFor()
    await page.getByRole('list', { name: 'What went wrong' }).first().waitFor()
    await page.getByText('We are closed.', { exact: true }).first().waitFor()
    await go(`/calls/${callId}`)
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByRole('button', { name: 'Replay now' }).click()
    await page.getByText('There is one difference.').waitFor()
    const round = page.getByRole('listitem').filter({ hasText: 'Caller: “When are you open?”' }).filter({ hasText: 'In the call' })
    assert.match(await round.innerText(), /In the call\s+says “From nine to five\.?”\s+Today\s+We are closed\./)
    assert.deepEqual(await seriousViolations(page), [])
  })

  await t.test('edits a test as text, and shows errors by line', async () => {
    await go(`/flows/${aiFlowId}/tests`)
    await page.getByRole('button', { name: 'New test' }).click()
    const dialog = page.getByRole('dialog')
    const conversation = dialog.getByLabel('Conversation')
    await conversation.fill('name: closed\nsteps:\n  - say: Hello\n  - press: one\n')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    for (const leave of [() => page.keyboard.press('Escape'), () => page.goBack()]) {
      await leave()
      await question.getByRole('button', { name: 'Cancel' }).click()
      await question.waitFor({ state: 'detached' })
    }
    assert.match(await conversation.inputValue(), /press: one/, 'what was typed is still there')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').getByText('Line 4').first().waitFor()
    assert.match(troubles().join(), /400/, 'Chromium itself complains about the refusal')
    await conversation.fill('name: closed\nsteps:\n  - say: Hello\n  - expect: { said: closed }\n')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'New test' }).click()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select closed' }).check()
    await page.getByRole('button', { name: 'Run selected' }).click()
    await page.getByText('1 of 1 passed').first().waitFor()
    await page.getByRole('button', { name: 'Actions for closed' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('table', { name: 'Tests' }).getByText('closed', { exact: true }).waitFor({ state: 'detached' })
    assert.deepEqual(
      (await api.listScenarios({ aiFlowId })).items.map(({ name }) => name),
      ['opening hours'],
    )
  })

  await t.test('changes the endpoint protocol and audio of a flow', async () => {
    await open(`/flows/${aiFlowId}`)
    await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('button', { name: 'Endpoint', exact: true }).click()
    await page.getByLabel('WebSocket', { exact: true }).fill(`ws://${customer.address}/sound`)
    await page.getByLabel('Exchanged data').selectOption('both')
    await page.getByLabel('Audio format').selectOption('pcmu')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })
    assert.deepEqual((await api.getFlow({ aiFlowId })).media, { mode: 'both', format: 'pcmu' })
    await page.getByLabel('Protocol').selectOption('retell')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })
    const { protocol, media } = await api.getFlow({ aiFlowId })
    assert.deepEqual([protocol, media], ['retell', undefined])
  })
  assert.deepEqual(troubles(), [])
})

test("adds and removes a token's leash", async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const { page, logIn, open, troubles } = await openVisitor(browser, service)
  await logIn()
  await open('/access')
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Helper')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.getByText('The token is ready').waitFor()
  await page.getByRole('dialog').getByRole('button').last().click()
  const openLeash = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Actions for Helper' }).click()
    await page.getByRole('menuitem', { name: 'Leash …' }).click()
  }
  await openLeash()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Who it may call and text' }).fill('+4930*')
  await page.keyboard.press('Enter')
  await dialog.getByLabel('Calls per day').fill('3')
  assert.deepEqual(await seriousViolations(page), [])
  await dialog.getByRole('button', { name: 'Put on the leash' }).click()
  await page.getByText('1 number · 0 of 3 calls · 0 of 10 SMS · asks first').waitFor()
  await openLeash()
  await dialog.getByRole('button', { name: 'Take the leash off' }).click()
  await page.getByRole('dialog', { name: 'Take the leash off Helper?' }).getByRole('button', { name: 'Take the leash off' }).click()
  await page.getByText('None: full access').waitFor()
  await settled(page)
  assert.deepEqual(troubles(), [])
})
