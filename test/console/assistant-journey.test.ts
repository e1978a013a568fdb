import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTalk } from '#cli/say/typed-talk.ts'
import { until } from '#test/machine/peer-process.ts'
import { startModelServer } from '#test/model/model-server.ts'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, timeoutMs, type Visitor } from './visitor.ts'

/** Maximum manual steps (clicks and inputs), enough for two minutes. */
const maxSteps = 20

/** Answers with the opening hours. */
const script = [{ when: /open/i, say: 'From nine to five. Is there anything else?', usage: { prompt_tokens: 400, completion_tokens: 12 } }]

test('creates an answering assistant from the login on, without code', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const server = await startModelServer(t, script)
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_EGRESS_ALLOW: server.address }), openBrowser(t)])
  const visitor = await openVisitor(browser, service)
  const { page, troubles } = visitor
  let steps = 0
  const step = async (action: Promise<unknown>): Promise<void> => {
    steps += 1
    await action
  }
  await visitor.logIn()

  await t.test('picks a template, sets a model and tests it', async () => {
    await step(page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Assistants' }).click())
    await step(page.getByRole('button', { name: 'New assistant' }).click())
    await step(page.getByRole('button', { name: 'Write a prompt' }).click())
    await step(page.getByRole('button', { name: 'Create assistant' }).click())
    await page.getByText('No model yet: greeting and keys already work').waitFor()
    await page.getByText('ollama run qwen3:4b').waitFor()
    assert.deepEqual(await seriousViolations(page), [])
    await step(page.getByRole('textbox', { name: 'Address', exact: true }).fill(server.url))
    await step(page.getByRole('textbox', { name: 'Name of the model' }).fill('scripted'))
    await step(page.getByRole('button', { name: 'Test', exact: true }).click())
    const outcome = page.getByRole('alert', { name: 'The model answers' })
    await outcome.getByText('First token after').waitFor()
    assert.deepEqual(await seriousViolations(page), [])
  })

  await t.test('tries it by text, and shows the cost of each answer', async () => {
    await step(page.getByRole('button', { name: 'Type instead of speaking' }).click())
    await page.getByRole('log').getByText('Hello, you have reached the reception. How can I help you?').waitFor()
    await step(page.getByLabel('Type a message').fill('When are you open?'))
    await step(page.keyboard.press('Enter'))
    await page.getByRole('log').getByText('From nine to five.').first().waitFor()
    const answers = page.getByRole('table', { name: 'Answers' })
    const figures = /When are you open\?\s+\d+ ms\s+\d+ ms\s+412/
    await until('the figures of the answer', async () => figures.test(await answers.innerText()), timeoutMs)
    await step(page.getByRole('button', { name: 'Hang up' }).click())
    await page.getByText('The call is over').waitFor()
    assert.deepEqual(await seriousViolations(page), [])
  })

  await t.test('publishes it and assigns a number', async () => {
    await step(page.getByRole('button', { name: 'Publish' }).click())
    await step(page.getByRole('dialog').getByLabel('Note').fill('The first'))
    await step(page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click())
    await page.getByText('Same as version 1').waitFor()
    await step(page.getByRole('main').getByRole('link', { name: 'Settings', exact: true }).click())
    await step(page.getByRole('button', { name: 'Assign a number' }).click())
    await step(page.getByRole('dialog').getByRole('button').last().click())
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.ok(steps <= maxSteps, `${steps} steps`)
  })

  await t.test('answers callers, and shows the results in the console', () => answered(service, visitor))
  assert.deepEqual(troubles(), [])
})

const answered = async (service: Service, { page, open }: Visitor): Promise<void> => {
  const { api } = service
  const flow = (await api.listFlows()).items.find(({ name }) => name === 'Reception')
  assert.ok(flow)
  const talk = await openTalk({ api }, flow.id, () => undefined)
  const spoken = (words: string) =>
    until(
      words,
      async () => (await api.getTimeline({ callId: talk.callId })).items.some((one) => one.kind === 'spoke' && one.text?.includes(words)),
      timeoutMs,
    )
  await spoken('How can I help you?')
  talk.send({ type: 'text', text: 'When are you open?' })
  await spoken('From nine to five.')
  talk.send({ type: 'hangup' })
  await talk.ended
  await open(`/flows/${flow.id}/results`)
  await page.getByRole('table', { name: 'Results' }).getByRole('row').nth(1).getByRole('link').click()
  await page.getByRole('region', { name: 'Result' }).getByText('Version').waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await page.getByRole('tab', { name: 'Events' }).click()
  // Only visible rows are rendered, and the last question is near the end.
  await page.getByRole('listbox').press('End')
  await page
    .getByRole('option', { name: /Model · scripted · 400 \+ 12 tokens/ })
    .first()
    .click()
  await page.getByRole('region', { name: 'Details' }).getByText('Tokens read').waitFor()
}
