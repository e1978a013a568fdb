import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSettings } from '#settings/config.ts'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { start } from '#wiring/main.ts'
import { until } from '#test/machine/peer-process.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

test("calls the demo flow's built-in assistant, after every start on any port", async (t) => {
  const data = await temporaryFolder(t)
  const here = { OFFHOOK_HTTP: '127.0.0.1:0', OFFHOOK_SIP: '127.0.0.1:0', OFFHOOK_DATA: data }
  const settings = { ...here, OFFHOOK_SPEECH: 'off', OFFHOOK_SHED_LOAD: 'off' }
  const ports = new Set<string>()
  for (const [nth] of ['first', 'second'].entries()) {
    const running = await start(readSettings(settings), { log: () => {} })
    t.after(() => running.close())
    ports.add(running.http)
    const notes = JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as FirstRunNotes
    const { sip, number = '', accountId = '', flowId = '' } = notes
    assert.ok(sip)
    const phone = await SipPhone.open(t, { server: running.sip.slice('sip:'.length), user: sip.user, password: sip.password })
    const call = phone.call(number)
    await call.answered
    const { deliveries } = running.deps.store.read
    const greeted = await until('the greeting', async () => {
      const events = await deliveries.list(accountId, flowId, { limit: 10 })
      const starts = events.filter(({ eventType }) => eventType === 'session_start')
      return starts.length > nth ? starts : undefined
    })
    assert.deepEqual(
      greeted.map(({ state, status, actions }) => [state, status, ...actions]),
      greeted.map(() => ['delivered', 200, 'speak']),
    )
    await call.session.end()
    await running.close()
  }
  assert.equal(ports.size, 2)
})
