import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startLoopbackServer } from '#test/http/loopback-server.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { seriousViolations } from './accessibility.ts'
import { startService } from './service.ts'
import { openBrowser, openVisitor } from './visitor.ts'

test('sends the audit log to a webhook that was added in the console', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const received: { headers: Record<string, string>; body: string }[] = []
  const address = await startLoopbackServer(t, (request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers as Record<string, string>, body })
      response.writeHead(204).end()
    })
  })
  const [service, browser] = await Promise.all([startService(t, { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' }), openBrowser(t)])
  const admin = await openVisitor(browser, service)
  const { page } = admin
  await admin.logIn()
  await admin.open('/audit')
  await page.getByRole('button', { name: 'Add receiver' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Address' }).fill('audit')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.locator('[aria-invalid=true]').waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  await form.getByRole('textbox', { name: 'Address' }).fill(`http://${address}/audit`)
  await form.getByRole('button', { name: 'Save' }).click()
  const secret = await page.getByRole('dialog', { name: 'Receiver added' }).locator('code').innerText()
  await page.getByRole('button', { name: /I have \w+ it/ }).click()
  await page.getByRole('region', { name: 'Send the log elsewhere' }).getByText(`http://${address}/audit`).waitFor()
  assert.deepEqual(await seriousViolations(page), [])

  await service.api.createRole({}, { name: 'Support', permissions: [] })
  const { headers, body } = await until('the new role', () => received.find((one) => one.body.includes('role.create')))
  assert.doesNotThrow(() => new Webhook(secret).verify(body, headers))

  await page.getByRole('button', { name: `Actions for http://${address}/audit` }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No receivers yet').waitFor()
})
