import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTalk } from '#cli/say/typed-talk.ts'
import { startCustomer } from '#test/http/customer-endpoint.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor, settled } from './visitor.ts'

/** Maximum page height at first view, in pixels. */
const maxPixels = 1400

test('edits the settings of an assistant: previews, conflict checks, saving, and a failure state', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  let works = false
  const customer = await startCustomer(t, (_request, response) => {
    if (!works) response.statusCode = 500
    response.end('[]')
  })
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' }), openBrowser(t)])
  const { api } = service
  const webhookUrl = `http://${customer.address}/hook`
  const { id: aiFlowId } = await api.createFlow(
    {},
    { name: 'Reception', webhookUrl, turn_taking: 'patient', extended_events: true, variables: { age: 36 } },
  )
  const { page, logIn, open, troubles } = await openVisitor(browser, service, { viewport: { width: 1280, height: 900 } })
  await logIn()
  await open('/flows')
  await page.getByRole('link', { name: 'Reception' }).click()
  await page.getByLabel('Name').waitFor()
  await settled(page)

  await t.test('shows few settings at first, names changed ones, and reaches each section with one click', async () => {
    const height = await page.evaluate<number>('document.documentElement.scrollHeight')
    assert.ok(height <= maxPixels, `${height} pixels`)
    await page.getByRole('group').filter({ hasText: 'Turn taking' }).getByText('How callers speak').first().waitFor()
    assert.equal(await page.getByLabel('Characters needed to interrupt').isVisible(), false)
    await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('button', { name: 'Turn taking' }).click()
    await page.getByLabel('Characters needed to interrupt').waitFor()
    assert.deepEqual(await seriousViolations(page), [])
  })

  await t.test('selects a language by name, and previews a voice before it is selected', async () => {
    await page.getByRole('combobox', { name: 'Language', exact: true }).fill('German')
    await page.getByRole('option', { name: /^German \(Germany\)/ }).click()
    await page.getByLabel('Voice').selectOption('de')
    const [sample] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/v3/speech/samples')),
      page.getByRole('button', { name: 'Play a sample', exact: true }).click(),
    ])
    assert.equal(sample.status(), 200)
    await page.getByRole('button', { name: 'Stop the sample' }).click()
    await page.getByRole('button', { name: 'Play a sample', exact: true }).waitFor()
  })

  await t.test('plays any phrase with the selected voice', async () => {
    await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('button', { name: 'When the endpoint cannot' }).click()
    await page.getByRole('textbox', { name: 'Message to callers' }).fill('Bis gleich.')
    const [sample] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith('/v3/speech/samples')),
      page.getByRole('button', { name: 'Play a sample: Message to callers' }).click(),
    ])
    assert.deepEqual(sample.postDataJSON(), { voice: 'de', language: 'de-DE', text: 'Bis gleich.' })
    await page.getByRole('button', { name: 'Stop the sample: Message to callers' }).click()
    await page.getByRole('textbox', { name: 'Message to callers' }).fill('')
    assert.equal(await page.getByRole('button', { name: 'Play a sample: Message to callers' }).isDisabled(), true)
  })

  await t.test('adds a variable, and keeps the others', async () => {
    await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('button', { name: 'Calls' }).click()
    await page.getByRole('combobox', { name: 'Variables' }).fill('first_name = Ada')
    await page.keyboard.press('Enter')
    await page.getByText('first_name = Ada').first().waitFor()
  })

  await t.test('keeps unsaved changes on a link or Back', async () => {
    await page.getByRole('link', { name: 'Webhook log' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.goBack()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })
    const { language, tts, version, variables } = await api.getFlow({ aiFlowId })
    assert.deepEqual([language, tts, version], ['de-DE', { voice: 'de' }, 2])
    assert.deepEqual(variables, { age: 36, first_name: 'Ada' })
  })

  await t.test('shows the first change to the user who saves second', async () => {
    const input = { webhookUrl, turn_taking: 'patient', extended_events: true, language: 'de-DE', tts: { voice: 'de' } } as const
    await page.getByLabel('Name').fill('Mine')
    await api.changeFlow({ aiFlowId }, { ...input, name: 'Reception', recording: true })
    await page.getByRole('button', { name: 'Save changes' }).click()
    const conflict = page.getByRole('alert').filter({ hasText: 'Someone else has saved these settings in the meantime' })
    await conflict.getByText('Record every call').waitFor()
    assert.match(troubles().join(), /409/, 'Chromium itself complains about the refusal')
    await conflict.getByRole('button', { name: 'Use theirs, discard mine' }).click()
    await conflict.waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('Name').inputValue(), 'Reception')
  })

  await t.test('restores previous settings', async () => {
    await page.getByRole('heading', { name: 'Settings history' }).click()
    await page.getByRole('button', { name: 'Restore' }).last().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Restored.').waitFor()
    const { language, recording } = await api.getFlow({ aiFlowId })
    assert.deepEqual([language, recording], [undefined, undefined])
    assert.deepEqual(await seriousViolations(page), [])
  })

  await t.test('turns red when the endpoint fails, and green with the next success', async () => {
    const state = async (): Promise<string> => (await api.getFlowHealth({ aiFlowId })).state
    /** Holds a call until the endpoint has the wanted state. */
    const callUntil = async (wanted: string): Promise<void> => {
      const talk = await openTalk({ api }, aiFlowId, () => undefined)
      await until(wanted, async () => (await state()) === wanted || undefined)
      talk.send({ type: 'hangup' })
      await talk.ended
    }
    await callUntil('FAILING')
    await open('/flows')
    await page
      .getByRole('row', { name: /Reception/ })
      .getByText('Does not answer')
      .waitFor()
    await page.getByRole('link', { name: 'Reception' }).click()
    await page.getByRole('link', { name: 'Show in the webhook log' }).click()
    await page.getByRole('dialog').getByText('500').first().waitFor()
    works = true
    await callUntil('OK')
    await open('/flows')
    await page
      .getByRole('row', { name: /Reception/ })
      .getByText('Answers')
      .waitFor()
    assert.deepEqual(troubles(), [])
  })
})
