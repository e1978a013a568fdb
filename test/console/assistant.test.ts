import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assistantTemplates } from '@offhook/contract/v3/assistant-templates.ts'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService, type Service } from './service.ts'
import { openBrowser, openVisitor, settled } from './visitor.ts'

const { settings } = assistantTemplates.reception.en

/** Existing assistant. */
const written = async ({ api }: Service, name: string): Promise<string> => {
  const { id: aiFlowId } = await api.createFlow({}, { name, endpoint: 'assistant', language: 'en-US' })
  await api.changeAssistant({ aiFlowId }, { settings })
  return aiFlowId
}

test('edits an assistant', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [service, browser] = await Promise.all([startService(t), openBrowser(t)])
  const { api } = service

  await t.test('asks before leaving with unsaved changes (link, Back)', async () => {
    const flowId = await written(service, 'Leaving')
    const { page, logIn, open, troubles } = await openVisitor(browser, service)
    await logIn()
    await open('/flows')
    await page.getByRole('link', { name: 'Leaving' }).click()
    const greeting = page.getByRole('textbox', { name: 'Greeting' })
    await greeting.fill('Good morning.')
    await page.getByRole('link', { name: 'Versions' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await greeting.inputValue(), 'Good morning.')
    await page.goBack()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await greeting.inputValue(), 'Good morning.')
    assert.match(page.url(), /\/assistant$/)
    await page.goBack()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(/\/flows$/)
    assert.equal((await api.getAssistant({ aiFlowId: flowId })).settings.greeting, settings.greeting)
    assert.deepEqual(troubles(), [])
  })

  await t.test('shows conflicting changes when another user saved first, and lets the user decide', async () => {
    const aiFlowId = await written(service, 'Two authors')
    const { page, logIn, open, troubles } = await openVisitor(browser, service)
    await logIn()
    await open(`/flows/${aiFlowId}/assistant`)
    await page.getByRole('textbox', { name: 'Greeting' }).fill('Mine.')
    await api.changeAssistant({ aiFlowId }, { settings: { ...settings, prompt: 'Theirs.' } })
    await page.getByRole('button', { name: 'Save draft' }).click()
    const notice = page.getByRole('alert', { name: /Someone else has saved/ })
    await notice.waitFor()
    assert.deepEqual(await notice.getByRole('listitem').allInnerTexts(), ['prompt', 'greeting'])
    assert.deepEqual(await seriousViolations(page), [])
    assert.match(troubles().join(), /409/, 'Chromium itself complains about the refusal')
    await notice.getByRole('button', { name: 'Save mine' }).click()
    await notice.waitFor({ state: 'detached' })
    const { greeting, prompt } = (await api.getAssistant({ aiFlowId })).settings
    assert.deepEqual([greeting, prompt], ['Mine.', settings.prompt])
    assert.deepEqual(troubles(), [])
  })

  await t.test('sets everything in the form: keys, a target, a tool, limits, topics, extracted data', async () => {
    const aiFlowId = await written(service, 'Everything')
    const { page, logIn, open, troubles } = await openVisitor(browser, service)
    await logIn()
    await open(`/flows/${aiFlowId}/assistant`)
    await page.getByRole('tab', { name: 'Keys' }).click()
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByLabel('Action').last().selectOption('hang_up')
    await page.getByRole('tab', { name: 'Tools' }).click()
    await page.getByRole('switch', { name: 'Send an SMS to the caller' }).check()
    await page.getByRole('button', { name: 'Add text' }).click()
    await page.getByLabel('Name of the text').fill('address')
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('We are at {street}.')
    await page.getByRole('button', { name: 'Add tool' }).click()
    await page.getByLabel('Name of the tool').fill('order_state')
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill('https://example.com/orders')
    await page.getByLabel('What it does').fill('Tells where an order is')
    const schema = page.getByLabel('Arguments (JSON Schema)')
    await schema.fill('{"type": "object", ')
    await page.getByText('This is not a JSON object.').waitFor()
    await schema.fill('{"type": "object", "properties": {"order": {"type": "string"}}}')
    assert.deepEqual(await seriousViolations(page), [])
    await page.getByRole('tab', { name: 'Rules' }).click()
    await page.getByLabel('Turns per call').fill('20')
    await page.getByRole('button', { name: 'Add topic' }).click()
    await page.getByRole('textbox', { name: 'Topic', exact: true }).fill('Politics')
    assert.deepEqual(await seriousViolations(page), [])
    await page.getByRole('tab', { name: 'After the call' }).click()
    await page.getByLabel('Send the result to').fill('https://example.com/results')
    assert.deepEqual(await seriousViolations(page), [])
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' })
    const { keys, tools, limits, topics, result } = (await api.getAssistant({ aiFlowId })).settings
    assert.deepEqual(keys?.at(-1), { digit: '3', does: 'hang_up' })
    assert.deepEqual(tools?.send_sms, { templates: [{ name: 'address', text: 'We are at {street}.' }] })
    assert.equal(tools?.http?.[0]?.url, 'https://example.com/orders')
    assert.deepEqual([limits, topics], [{ turns: 20 }, { forbidden: [{ name: 'Politics' }] }])
    assert.equal(result?.webhook_url, 'https://example.com/results')
    assert.deepEqual(troubles(), [])
  })

  await t.test('asks for the key again when the address changes to another host', async () => {
    const aiFlowId = await written(service, 'Moved')
    const model = { url: 'https://one.example/v1', name: 'm', api_key: 'k' }
    await api.changeAssistant({ aiFlowId }, { settings: { ...settings, model } })
    const { page, logIn, open, troubles } = await openVisitor(browser, service)
    await logIn()
    await open(`/flows/${aiFlowId}/assistant`)
    const address = page.getByRole('textbox', { name: 'Address', exact: true })
    const again = page.getByText('The address leads to another host. Enter the key again, or remove it.')
    await address.fill('https://one.example/v2')
    assert.equal(await again.count(), 0)
    await address.fill('https://two.example/v1')
    await again.waitFor()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page
      .getByText(/must be entered again/)
      .first()
      .waitFor()
    assert.match(troubles().join(), /400/, 'Chromium itself complains about the refusal')
    await page.getByLabel('API key').fill('new')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('button', { name: 'Save draft' }).waitFor({ state: 'detached' })
    assert.equal((await api.getAssistant({ aiFlowId })).settings.model?.url, 'https://two.example/v1')
    assert.deepEqual(await seriousViolations(page), [])
    assert.deepEqual(troubles(), [])
  })

  await t.test('compares, splits and rolls back versions, and turns one into the draft', async () => {
    const aiFlowId = await written(service, 'Versions')
    await api.publishAssistant({ aiFlowId }, { note: 'The first' })
    await api.changeAssistant({ aiFlowId }, { settings: { ...settings, greeting: 'Hi.', prompt: `${settings.prompt}\nBe brief.` } })
    await api.publishAssistant({ aiFlowId }, {})
    const { page, logIn, open, troubles } = await openVisitor(browser, service)
    await logIn()
    await open(`/flows/${aiFlowId}/versions`)
    await page.getByRole('listitem').filter({ hasText: 'Be brief.' }).getByText('added').waitFor()
    const row = page.getByRole('table', { name: 'Other settings' }).getByRole('row').last()
    assert.deepEqual(await row.getByRole('cell').allInnerTexts(), ['greeting', settings.greeting, 'Hi.'])
    assert.deepEqual(await seriousViolations(page), [])

    await page.getByLabel('Version on trial').selectOption('1')
    await page.getByLabel('Share of calls (%)').fill('25')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('25 % of calls').waitFor()
    const { stable, candidate, percent } = await api.getRollout({ aiFlowId })
    assert.deepEqual([stable, candidate, percent], [2, 1, 25])

    await page.getByRole('button', { name: 'Roll back to version 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await page.getByText('New calls use version 1 again.').waitFor()
    assert.equal((await api.getRollout({ aiFlowId })).stable, 1)

    await page.getByRole('button', { name: 'Actions for version 1' }).click()
    await page.getByRole('menuitem', { name: 'Use as draft' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Use as draft' }).click()
    await page.getByText('Same as version 1').waitFor()
    await settled(page)
    assert.equal(await page.getByRole('textbox', { name: 'Greeting' }).inputValue(), settings.greeting)
    assert.deepEqual(troubles(), [])
  })
})
